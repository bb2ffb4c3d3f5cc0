# What is planned: where ranks stand.
placement-same-core = two hardware threads of one core
placement-same-complex = two cores that share their last-level cache
placement-same-numa = two cores of one NUMA node
placement-same-socket = two cores of one socket in different NUMA nodes
placement-other-socket = two cores of different sockets
placement-all = { $nodes ->
    [one] { $cores ->
        [one] the core of one host
        [2] both cores of one host
       *[other] all { $cores } cores of one host
    }
   *[other] all { $cores } cores on each of { $nodes } hosts
}
placement-numa = all cores on each of { $nodes } hosts, a rank for each NUMA node
placement-ranks = { $ranks ->
    [one] a rank
   *[other] { $ranks } ranks
} of { $threads ->
    [one] one thread
   *[other] { $threads } threads
} on each of { $nodes } hosts
placement-one-each = one core on each of { $nodes } hosts{ $card ->
    [near] , near the network card
    [far] , far from the network card
   *[unknown] {""}
}
plan-rank-on-each = 1 rank on { $where ->
    [nodes] each node of
   *[groups] each of the groups
} { $parts }, with shares by rates that are measured at the start, unless --set shares= gives others
plan-ranks-of-group = { $ranks ->
    [one] 1 rank
   *[other] { $ranks } ranks
} on processors { $group } ({ $rate })
plan-ranks-of-groups = { $groups }, by their measured rates{ $most ->
    [one] {""}
   *[other] ; and in turn one rank on each, with shares by rates
}

# What is varied of a launch.
axis-image-value = image { $value }
axis-neighbours-value = { $number ->
    [0] no busy neighbours
    [one] 1 busy neighbour
   *[other] { $number } busy neighbours
}
axis-build-value = build { $value }
axis-memory-value = memory { $value }
axis-pages-value = { $value } pages
axis-shares-value = { $value ->
    [rates] shares by rates
   *[other] { $value } shares
}
axis-cores-value = cores { $value }
axis-shape-value = shape { $value }
axis-order-value = order { $value }
plan-full-title = { $benchmark }: { $title }
plan-layout = { $ranks ->
    [one] {""}
   *[other] { $ranks } ranks x{" "}
}{ $threads ->
    [one] 1 thread
   *[other] { $threads } threads
}
plan-layout-devices = { $layout } on { $devices ->
    [one] 1 device
   *[other] { $devices } devices
}
