# The report's first screen, the drawing of the site, and the comparison with published machines.

site-title = Configuration of { $name }
site-partition-said = { $name }: number of nodes { $nodes }; processors { $processors }, cores of a node { $cores }; memory of a node { $memory }{ $accelerated ->
    [yes] ; accelerators { $devices }
   *[no] {""}
}{ $mounts ->
    [yes] ; storage { $areas }
   *[no] {""}
}.
site-number-unknown = unknown
site-nodes = { $nodes ->
    [one] 1 node
   *[other] { $nodes } nodes
}
site-node-of = Node of { $name }
site-processor-unknown = Processor unknown
site-cores = { $cores ->
    [one] 1 core
   *[other] { $cores } cores
}
site-cores-of-kind = { $cores ->
    [one] 1 core
   *[other] { $cores } cores
}: { $kind }
site-assistant-cores = assistant cores: { $cores }
site-usable-cores = { $usable } of { $cores } cores allotted to this job
site-numa = { $nodes } NUMA nodes
site-peak = { $rate } theoretical
site-measured = { $rate } measured
site-more = and { $more } more

peers-title = Comparison with published machines
peers-intro = Published values are quoted as their reports print them. ⚑ marks a printed number that disagrees with the rest of its report.
peers-machine = Machine
peers-value = Value
peers-printed = As printed
peers-nodes = Nodes
peers-per-node = Per node
peers-devices = Devices
peers-per-device = Per device
peers-on-devices = { $title } on devices
peers-per-core = Per core
peers-of-peak = of peak
peers-source = Source and notes
peers-own = this machine
peers-caption = { $title }, { $better ->
    [lower] lowest
   *[higher] highest
} first{ $per ->
    [node] , by value per node
    [core] , by value per core, because the nodes differ widely in their number of cores
    [device] , by value per device
   *[whole] {""}
}
peers-computed = computed here
peers-share-printed = printed { $share }
peers-median = { $launches ->
    [one] median; best { $best }
   *[other] median of { $launches } launches; best { $best }
}
peers-case = case { $settings }
peers-in-cache = not ranked: the data stayed in the caches
peers-this-report = this report
peers-best-of = best of { $count } printed figures
peers-kind = { $kind ->
    [comparison] quoted there from another source
    [rounded] rounded there
   *[derived] derived there
}
peers-references = References
peers-chart-title = { $title }{ $per ->
    [node] {" "}per node
    [core] {" "}per core
    [device] {" "}per device
   *[whole] {""}
}
peers-axis = { $unit }{ $per ->
    [node] {" "}per node
    [core] {" "}per core
    [device] {" "}per device
   *[whole] {""}
}{ $scale ->
    [log] , log scale
   *[linear] {""}
}
peers-chart-caption = ▸ this machine; { $better ->
    [lower] lower is better
   *[higher] higher is better
}.
peers-chart-log = Logarithmic axis, so dots instead of bars.
peers-chart-unranked = { $count ->
    [one] One figure
   *[other] { $count } figures
} of the table cannot be given per { $per ->
    [core] core
    [device] device
   *[node] node
}.
peers-chart-cut = The best { $shown } of { $all } are drawn; the table lists all.
peers-share-title = { $title }, share of theoretical peak
peers-share-axis = % of theoretical peak
peers-share-caption = Where a printed percentage disagrees with the rest of its report, the recomputed one is drawn.
peers-on-nodes = { $nodes } nodes
peers-described = { $title }: from { $last } to { $first }; this machine is number { $place } of { $count }.

balance-caption = { $title } of a node against its memory, best use of the bandwidth first
balance-cores = Cores
balance-peak = Peak
balance-bytes-per-flop = Byte/flop
balance-rate = Rate
balance-flops-per-byte = Flop/byte of { $bandwidth }
balance-caches = Caches
balance-last-level = last level { $size } per core

first-mean = { $title }, geometric mean
first-at-size = { $title } at { $size }
first-on-hosts = { $title } on { $hosts } hosts
first-aspect = { $aspect ->
    [compute] Compute
    [memory] Memory
    [sparse] Sparse and stencil solvers
    [messages] Messages
    [noise] OS noise
    [storage] Storage
   *[other] Other
}
first-drawing-title = Each headline figure as a share of its limit, which follows from rates measured on this machine; longer is better. Orange: share of the time lost; shorter is better.
first-range = { $count ->
    [one] { $best } reaches { $most } of its limit{ $own ->
        [yes] , the only independent one
       *[no] {""}
    }.
   *[other] { $own ->
        [yes] Of the figures with an independent limit, { $best }
       *[no] { $best }
    } comes closest to its limit ({ $most }), { $worst } stays farthest below it ({ $least }).
}
first-held-back = The likely cause that costs most: { $what }.
first-cause = { $kind ->
    [others] other processes were running
   *[other] { $what }
}
first-disturbed = { $used ->
    [none] { $what }
   *[known] The machine was not idle: { $used }
}. It affects { $count } of { $all } { $all ->
    [one] benchmark
   *[other] benchmarks
} and can explain up to { $effect }. These figures say little about the machine; run again while it is idle.
first-standing = Among published machines: { $places }.
first-place = { $named ->
    [yes] { $title } {""}
   *[no] {""}
}place { $place } of { $count }{ $per ->
    [node] {" "}per node
    [core] {" "}per core
    [device] {" "}per device
   *[whole] {""}
}
first-above = { $title } is { $share } of its limit. No figure can exceed its limit: measure the ceiling again on an idle machine before you use either.
first-no-share = { $kind ->
    [failed] no verified figure
    [crowded] no headline: threads shared a processor
    [served] no headline: data in cache
    [lost] of the time lost
    [cached] data in cache: not judged
    [unknown] limit unknown: rate not measured
   *[undefined] no limit is defined
}
first-described = { $title }: { $value }, { $share }{ $placed ->
    [yes] , { $place }
   *[no] {""}
}.
first-column-place = Among published machines
first-costs-title = What costs most
first-others-used = In this run { $used }
first-evidence = Evidence
first-confirm = To confirm
first-cost = { $share } of { $title }
first-costs = { $all ->
    [one] can explain up to { $shares }
   *[other] { $count } of { $all } benchmarks; can explain up to { $shares }
}, against { $against ->
    [launches] the median of the other launches
    [samples] its better samples
    [run] its best other run
    [setting] the better setting
    [library] the fastest library
    [clock] the clock as it should be
    [state] the best state seen
    [peers] the median of others like it
    [time] its whole time
    [limit] its limit
    [others] an idle machine
    [hypervisor] a machine that the hypervisor leaves alone
    [quota] the processors without the quota
   *[without] the same without it
}

binding-title = { $bound ->
    [yes] { $ranks } { $ranks ->
        [one] rank
       *[other] ranks
    } of { $threads } { $threads ->
        [one] thread
       *[other] threads
    } on the cores of { $host }; the number is the rank.
   *[no] Cores of { $host } that the threads of { $ranks } { $ranks ->
        [one] rank
       *[other] ranks
    } may use: they are not bound to one each.
}{ $hosts ->
    [one] {""}
   *[other] {" "}It is the first of { $hosts } hosts.
}
binding-described = { $title } { $where }.
binding-rank = rank { $rank }: processors { $processors }
binding-numa = NUMA node { $number }
binding-socket = Socket { $number }
binding-cores = Cores
binding-devices = Rank { $rank } drives { $devices }
binding-details = Where the ranks stood, as read back from the running threads
binding-used-by = Placed this way: { $benchmarks }.

answer-machine = { $name }: { $processors }, { $cores ->
    [one] 1 core
   *[other] { $cores } cores
}, { $memory } of memory{ $accelerated ->
    [yes] , { $devices }
   *[no] {""}
}
answer-median = median
answer-of-limit = of its limit
answer-interval = 95% interval
answer-own-best = * { $own }: the benchmark measured that rate itself
answer-cause = { $what }: { $cost }{ $checked ->
    [yes] . To confirm: { $confirm }
   *[no] {""}
}
peers-where = section { $section }{ $kind ->
    [none] {""}
    [figure] , Fig. { $number }
   *[table] , Table { $number }
}
peers-name = { $machine }, { $part }
