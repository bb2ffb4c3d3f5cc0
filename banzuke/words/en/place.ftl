# Where ranks go on a network.

place-title = Where to put the ranks
place-pattern-halo = exchange with neighbours
place-pattern-alltoall = all-to-all
place-pattern-allgather = ring of all ranks
place-network = { $ranks ->
    [one] { $ranks } rank
   *[other] { $ranks } ranks
}{ $grid ->
    [none] {""}
   *[other] {" "}as a grid of { $grid }
} on { $hosts ->
    [one] { $hosts } host
   *[other] { $hosts } hosts
}, { $switches ->
    [one] { $switches } switch
   *[other] { $switches } switches
}, { $cables ->
    [one] { $cables } cable
   *[other] { $cables } cables
}
place-verdict = { $pattern }: in the model, messages take { $gain } times as long in the scheduler's order as in the proposed one, which is "{ $begun }"{ $exchanges ->
    [0] {""}
    [one] , with { $exchanges } pair of ranks exchanged
   *[other] , with { $exchanges } pairs of ranks exchanged
}.
place-verdict-run = { $pattern }: in the model, the run takes { $gain } times as long in the scheduler's order as in the proposed one, which is "{ $begun }"{ $exchanges ->
    [0] {""}
    [one] , with { $exchanges } pair of ranks exchanged
   *[other] , with { $exchanges } pairs of ranks exchanged
}.
place-verdict-none = { $pattern }: in the model, no order was found that is faster than the scheduler's.
place-order = order
place-time = time of messages
place-time-relative = relative time of messages
place-time-model = time in the model
place-time-model-relative = relative time in the model
place-phases = sum of phases
place-ratio = of the proposed
place-ratio-last = of the fastest
place-busiest = busiest link
place-flows = messages on it
place-rate = rate
place-from = from
place-to = to
place-used = { $used } of { $all ->
    [one] { $all } cable
   *[other] { $all } cables
}
place-order-scheduler = the scheduler's order
place-order-number = by number
place-order-random = random
place-order-switch = by switch
place-order-rows = by switch, along the rows
place-order-tiles = compact parts of the grid by switch
place-order-strips = strips of columns by switch, filled by number
place-order-strips-random = strips of columns by switch, random within
place-order-place = proposed
place-order-seeded = random, seed { $seed }
place-grid = The grid of ranks by switch
place-grid-description = The grid for each order; each place has the colour of the switch that its host is at.
place-legend-again = There are { $number } switches: colours repeat.
place-links = Messages on the links between switches
place-links-description = For each order and pair of switches, a bar for each cable: the messages of the busiest phase on it, each order to its own scale. The table below has the busiest cable of each pair.
place-links-some = Shown are the { $shown } of { $all } pairs of switches with the busiest cable in any order.
place-assumed = What this assumes
place-routing-destination = Switches choose among their cables by the receiver's number (static routing): the same receiver is always reached by the same cable.
place-routing-blocks = Switches give each of their cables equally many consecutive receivers (static routing).
place-routing-first = Switches take the first cable on a shortest path: dimension order in a torus.
place-routing-adaptive = Switches spread all messages evenly over their cables on shortest paths. Beyond the usual orders no exchanges of ranks are tried.
place-adapters-striped = Each message is divided among all adapters of a host.
place-adapters-by-rank = Each rank has one adapter of its host, in turn.
place-adapters-first = Only the first adapter of each host is used.
place-assumed-exchange = Up to 32 of the steps in which all ranks send to all others are examined; in step k each sends to the rank k further on.
place-assumed-at-once = All ranks send to all others at once. Up to 32 of the other ranks are examined for each, and stand for all.
place-assumed-ring = Each rank sends to the next one, as many times as there are other ranks: MPI_Allgather of large messages, rings of NCCL.
place-assumed-halo = Each rank sends as much to each of its neighbours along the sides of the grid; edges and corners are left out. Ranks are numbered along the first side of the grid.
place-note-steps = The time follows the benchmark's steps on each part of the grid, with the load of every link: messages wait for each other, and hide behind computation. The search for a better order compares sums of phases, in which each takes as long as its busiest link. Other jobs are left out.
place-note-size = No --size was given: { $size } is assumed.
place-note-no-computation = Computation takes no time: --rank-rate and --size give it, for the time of the whole run.
place-note-replay = The time is that of a small simulator: a rank begins its next step when its own messages are complete, and messages that are under way share links fairly. The search for a better order compares sums of phases, in which all wait for the busiest link. Other jobs are left out.
place-note-rendezvous = A message begins when its receiver is in the same step, as large ones do (rendezvous). --eager has them begin without it.
place-note-eager = A message begins although its receiver is not in the step yet (--eager).
place-note-model = A phase takes as long as its busiest link. Latency, other jobs, and how messages share a link over time are left out.
place-simulated-title = Simulated
place-simulated = simulated
place-model = model
place-simulated-ratio = simulated / model
place-computing = computation
place-simulated-links = busiest links, share of the time
place-contradicted = Simulated, the order that the model proposes takes { $longer } longer than the fastest, which is proposed instead: { $order }.
place-note-simulated = Simulated with SimGrid: messages share each link fairly, each takes one path and { $latency } besides its bytes. A link's share is its bytes over what it could have carried in the time.
place-note-simulated-computation = Both times include computation at the rate of a rank, as the analytic model has it; messages travel meanwhile. The solution of the triangular system is left out.
place-note-simulated-steps = Each simulated message stands for { $number } of the benchmark's on average.
place-note-slurm-rates = Slurm's file does not give the rates of cables: all are taken as equal.
place-note-slurm-uplinks = Slurm's file does not give a switch's number of uplinks: one for each node and switch below it is assumed. --uplinks N sets another number.
place-note-slurm-chosen = The file has { $number } topologies: '{ $name }' is taken, the cluster's default or the first.
place-note-slurm-blocks = Blocks show which nodes are near, not how cables run: each is taken as a switch, with one above all.
place-note-slurm-torus = Slurm's rings and tori name neighbours, not cables: one cable between neighbours, and dimension order, are assumed.
place-note-netloc = The paths in netloc's file are not read: routing is assumed as for other files.
place-note-measured = Switches are inferred from measured pairs: { $number ->
    [one] all hosts were about as fast with each other, and are taken as at one switch
   *[other] { $number } groups of hosts that were faster with each other than with the rest
}. A host is taken to send at most the median bandwidth within its switch.
place-note-measured-links = All pairs of a round ran at the same time: the cable of a switch is taken to carry what its hosts sent to others in a round, and all switches to be joined by one above.
place-note-rates-unknown = Not all cables have a rate: all are taken as equal.
place-note-unnamed = { $number ->
    [one] { $number } adapter has a description without a host's name, and is called by its GUID.
   *[other] { $number } adapters have a description without a host's name, and are called by their GUIDs.
}
