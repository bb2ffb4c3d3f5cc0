# Resources that the predicted time is spent on.

predict-on-latency = latency of messages
predict-on-spread = waiting for the slowest node
predict-on-link = interconnect
predict-on-host-link = transfers between host and device
predict-on-noise = operating-system noise
predict-on-cycles = work of the cores other than memory
predict-on-core = loops of one thread
predict-on-clients = clients of the storage
predict-undescribed = the description of { $of } gives no { $what ->
    [flop-rate] flop rate
    [flop-rate-of-its-processors] flop rate of its processors
    [memory-bandwidth-of-its-processors] memory bandwidth of its processors
    [memory-bandwidth-of-its-devices] memory bandwidth of its devices
    [bandwidth-of-the-interconnect] bandwidth of the interconnect
    [numbers-from-which-a-figure-follows] numbers from which a figure follows
   *[number-of-cores] number of cores
}

# Nodes of several kinds together.

predict-kind-left-out = { $nodes ->
    [one] The node of { $kind } is
   *[other] The { $nodes } nodes of { $kind } are
} left out: with { $nodes ->
    [one] it
   *[other] them
} the figure would be { $added } instead of { $figure }, because { $why }
predict-kind-slows = { $kind } slows the other nodes down: without it the figure would be { $without } instead of { $figure }, because { $why }
predict-kind-impossible = { $nodes ->
    [one] The node of { $kind } is
   *[other] The { $nodes } nodes of { $kind } are
} left out, because the benchmark cannot run there as asked for
predict-kind-costs = the other nodes lose more than it adds
predict-kinds-kind = kind of node
predict-kinds-nodes = nodes
predict-kinds-alone = alone
predict-kinds-together = with those above
predict-kinds-added = adds
predict-kinds-of-alone = adds / alone
predict-kinds-of = { $used } of { $there }
