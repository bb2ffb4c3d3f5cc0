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
compare-hosts-apart = Hosts in { $run } were in different states of the machine: { $hosts }
compare-not-in-turn = Not measured in turn: { $gap } between the launches in { $left } and those in { $right }, during which the machine may have changed
compare-cannot-be-told = The launches in { $left } and those in { $right } are apart in time, and { $others ->
    [0] it is not known how much runs of this case vary
    [one] one other run that can be used does not show how much runs of this case vary
   *[other] { $others } other runs that can be used are too few to show how much runs of this case vary
}. { $runs ->
    [one] Measure once more
   *[other] Measure { $runs } times more
} on each side, in turn and hours apart, with { $command }, then `banzuke compare A1,A2,A3 B1,B2,B3`
compare-against = What was launched differently in { $left } can be measured again, in turn with { $right }: { $command }, with the options of { $right }
compare-disturbed = Not counted: { $disturbed } of { $launches ->
    [one] { $launches } launch
   *[other] { $launches } launches
} in { $run }, because other processes or the hypervisor disturbed { $disturbed ->
    [one] it
   *[other] them
}
compare-turns-disturbed = Other processes or the hypervisor disturbed { $disturbed } of { $rounds } rounds, left out here
compare-moving = In every compared run the processors moved during some launch, so their distance is no state of a run: launches are compared whatever it was
compare-state = Compared in one state of the machine: { $state }, in which { $launches } of { $of } launches ran
compare-state-alone = Only in { $run }: { $state } ({ $launches ->
    [one] { $launches } launch
   *[other] { $launches } launches
})
compare-by-history = The variation between runs is taken from { $runs ->
    [one] { $runs } other run
   *[other] { $runs } other runs
} of this case in the results folder, too
compare-further = A difference of 10% would be found with { $runs ->
    [one] one more run
   *[other] { $runs } more runs
} on each side, in turn and hours apart
compare-too-varied = Runs vary so much that finding a difference of 10% would take too many runs
compare-counts-equal = All { $launches } launches gave the same count
compare-counts-differ = All launches in { $left } gave one count and all in { $right } another: what was launched or its surroundings differ{ $runs ->
    [1] { "" }
    [2] , unless the count varies from run to run, which two runs do not show
   *[other] . All { $runs } runs agree with their side
}
compare-counts-few = The launches of each side agree, but { $launches } launches are so few that they may divide in this way by chance: measure with --repeat 5
compare-drifts = The interval leaves out the drift from run to run, and so lies far from the ratio
state-near = near processors
state-far = far processors
state-moved = processors that moved
state-slow = slow clock
state-fast = fast clock
state-huge = huge pages
state-base = base pages
state-memory = memory policy { $policy }
state-further = { $first }, { $second }
state-both = { $distance } with a { $clock }
state-unknown = state not recorded
state-only = the only state seen
compare-variable = { $variable } was set only in { $where }
compare-in-part = a part of { $run }
plan-variable = Variable { $name }
plan-default = default
plan-own = own
