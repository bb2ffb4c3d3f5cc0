# What makes a comparison dubious.

compare-trait = { $trait ->
    [machine] Machine
    [nodes] Nodes
    [banzuke] Banzuke
   *[commit] Commit
}
compare-software = { $key } of { $program }
compare-differs = { $what }: { $mine } in { $left }, { $theirs } in { $right }
compare-not-recorded = not recorded
compare-moved = The threads' processors were nearer to each other in { $nearer }: a cache line passed in { $near } against { $far }, perhaps because a hypervisor moved them, or because of other load
compare-not-in-turn = Not measured in turn: { $gap } between the launches in { $left } and those in { $right }; the intervals do not cover what changed on the machine in between
compare-variable = { $variable } was set in { $where } alone
compare-in-part = a part of { $run }
plan-variable = Variable { $name }
plan-default = default
plan-own = own
