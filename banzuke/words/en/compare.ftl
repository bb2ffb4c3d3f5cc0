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
compare-moved = The threads' processors were nearer to each other in { $nearer }: a cache line passed in { $near } against { $far }, so a hypervisor moved them
compare-not-in-turn = Not measured in turn: { $gap } between the launches in { $left } and those in { $right }; the intervals do not cover what changed on the machine in between
plan-variable = Variable { $name }
plan-default = default
plan-own = own
