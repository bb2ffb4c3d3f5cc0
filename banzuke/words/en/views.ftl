# Shapes that records of several benchmarks have: time by phase, figures over sizes, of pairs, of many problems.

views-where-time-went = Where the time went
views-phase = Phase
views-time = Time
views-of-time = Share of time
views-time-of-phases =
    { $launches ->
        [0] Time of each phase over the whole timed part, mean over the ranks
       *[other] Time of each phase over the whole timed part, mean over the ranks, in the median of { $launches } launches
    }
views-costly-phase = Time spent on { $phase }
    .evidence = It took { $share } of the time
    .confirm = { $advice }
views-explain = `banzuke explain { $benchmark }` describes it
views-slow-work = Below its limit: { $phase }
    .evidence = { $phase } ran at { $rate }, { $share } of the limit: { $source }
    .confirm = { $advice }
views-slow-work-advice = Check the library and the sizes that it is called with
views-phases-of-cases = Time of each phase in each case, over the whole timed part, mean over the ranks
views-phases-drawn = { $benchmark }: where the time of each case went
views-phases-description = { $cases } cases; the longest took { $longest }.
views-phases-caption = Over the whole timed part; means over the ranks.
views-rate-over-progress = { $benchmark }: rate over the run
views-rate-over-progress-drawn = From { $first } in the first interval to { $last } in the last; the highest is { $most }.
views-rate-over-progress-caption =
    { $limited ->
        [yes] Rate in each interval; { $whole } over all of them. Dashed: the limit by the measured ceilings.
       *[no] Rate in each interval; { $whole } over all of them.
    }
views-limit-line = limit { $limit }
views-shares-over-progress = { $benchmark }: where the time went over the run
views-shares-over-progress-drawn = { $phases }.
views-shares-over-progress-caption = From bottom to top in the order of the table; means over the ranks. The first half of the run took { $half } of the time.
views-phase-share = { $phase } { $share }
views-axis-of-time = % of the time
views-axis-percent = { $along }, %
views-interval = { $begin } to { $end }
views-tip-time = time
views-tip-rate = rate

# Pairs of ranks.

views-worse-together = { $metric } { $ratio } times worse than usual with the other { $of ->
        [memories] memories
       *[ranks] ranks
    }, as usual with each other{ $way ->
        [out] {""}; when they send
        [in] {""}; when they receive
       *[both] {""}
    }
views-worse-rank = { $metric } { $ratio } times worse than usual with { $slow } of { $partners } { $of ->
        [memories] memories
       *[ranks] ranks
    }{ $way ->
        [out] {""}, when it sends
        [in] {""}, when it receives
       *[both] {""}
    }
views-worse-pair = { $metric } { $value }, between others at the same distance { $usual } ({ $distance ->
        [same-core] same core
        [same-complex] same last-level cache
        [same-numa] same NUMA node
        [same-socket] same socket
        [other-socket] different sockets
        [nvlink] NVLink
        [xgmi] XGMI
        [switch] same PCI Express switch
        [bridge] same host bridge
        [node] same NUMA node
        [system] different NUMA nodes
        [devices] two devices
        [device-host] a device and the host
       *[other-node] different nodes
    })
views-slow-together = { $way ->
        [out] { $ranks } send slowly to all others
        [in] { $ranks } receive slowly from all others
       *[both] { $ranks } are slow with all others
    }
    .evidence = { $seen }
    .confirm = Check what they share: a node's network card and cable, or a switch and its uplinks; if they are only farther away, nothing is wrong
views-slow-rank = { $way ->
        [out] { $rank } sends slowly
        [in] { $rank } receives slowly
       *[both] { $rank } is slow
    }
    .evidence = { $seen }
    .confirm = Check what else runs on its processor, and its node's network card and cable; run with another processor or node in its place
views-slow-memory = Transfers of { $memory } are slow
    .evidence = { $seen }
    .confirm = Check the device's slot, riser and link (lspci -vv: LnkSta), and what else uses it
views-slow-pair = { $way ->
        [out] Messages from { $pair } are slow
       *[both] { $pair } are slow with each other
    }
    .evidence = { $seen }
    .confirm = Run the pair alone; if it stays slow, check the link between the two
views-slow =
    { $others ->
        [0] slow: { $who }{ $way ->
            [out] {""}, sending
            [in] {""}, receiving
           *[both] {""}
        }, { $ratio } times
       *[other] slow: { $who }{ $way ->
            [out] {""}, sending
            [in] {""}, receiving
           *[both] {""}
        }, { $ratio } times, and { $others } more
    }
views-memory-of =
    { $kind ->
        [host] memory of { $host }
       *[device] device { $device } of { $host }
    }
views-memories = { $memories }
views-rank-on-processor = rank { $rank } ({ $host }, processor { $processor })
views-rank-on-host = rank { $rank } ({ $host })
views-rank = rank { $rank }
views-ranks-on-hosts = ranks { $ranks } ({ $hosts })
views-ranks = ranks { $ranks }
views-pair = { $way ->
        [out] { $a } to { $b }
       *[both] { $a } and { $b }
    }
views-pairs-sharing = Ranks { $ranks } share processors, although their hosts have different names: their waiting for each other is not the fault of a link and is not judged.
views-clusters = { $number } clusters of { $alike ->
        [yes] { $most }
       *[no] { $fewest } to { $most }
    } ranks: { $within } within, { $between } between them{ $told ->
        [none] . The firmware does not tell these groups.
        [same-complex] , as the firmware tells (same last-level cache).
        [same-numa] , as the firmware tells (same NUMA node).
       *[same-socket] , as the firmware tells (same socket).
    }
views-clusters-unseen = The firmware tells { $number } groups ({ $told ->
        [same-complex] same last-level cache
        [same-numa] same NUMA node
       *[same-socket] same socket
    }) that these latencies do not show.
views-clusters-apart = latencies show other clusters of cores than the firmware tells: { $untold } { $untold ->
        [one] level
       *[other] levels
    } only in latencies, { $unseen } only in the firmware
views-between-all =
    { $of ->
        [memories] { $metric } between all memories
       *[ranks] { $metric } between all ranks
    }
views-more = and { $number } more
views-one-pair = { $figure }. There is only one pair, and nothing to compare it with.
views-no-slow-pair = No pair is much slower than others at the same distance.
views-pairs-drawn =
    { $of ->
        [memories] { $benchmark }: { $metric } between all memories
       *[ranks] { $benchmark }: { $metric } between all ranks
    }
views-pairs-range =
    { $outliers ->
        [0] { $ranks } { $of ->
            [memories] memories
           *[ranks] ranks
        }, from { $low } to { $high }. No pair stands out.
       *[other] { $ranks } { $of ->
            [memories] memories
           *[ranks] ranks
        }, from { $low } to { $high }. { $outliers } stand out.
    }
views-pairs-caption = The stronger the colour, the slower.
views-pairs-blocks = A square is { $side } by { $side } { $of ->
        [memories] memories
       *[ranks] ranks
    } and shows the slowest of their figures.
views-pairs-framed = Framed: { $who }.
views-axis-rank = rank
views-axis-from = from
views-axis-to = to
views-axis-host = host
views-tip-between = between
views-tip-and = and
views-method-of-pairs = A pair of ranks is called slow when it is { $ratio } times slower than the healthy pairs at the same distance and outside their noise; a rank, when most of its pairs are slow. For bandwidth, each direction is judged by itself: in the map a row is what a rank sends, a column what it receives. Ranks that are slow with all others but not with each other are named together: what they share is slow, or is farther away. Where many pairs are similarly slow, the network is built that way, and none is named. Cores of a host are in one cluster if they are joined by fast pairs, where the next pair that joins more is { $gap } times as slow.

# Figures over sizes.

views-case = Case
views-size = Size
views-samples = Samples
views-median = Median
views-average = Average
views-slowest-share = Slowest { $share }
views-slowest = Slowest
views-in-outliers = Time in outliers
views-of-limit = of limit
views-of-peak = of peak
views-of-link = of link
views-over = { $metric } over { $along }
views-over-of-kind = { $metric } over { $along } ({ $kind })
views-of-kind = { $metric } ({ $kind })
views-message-rate = Message rate: { $figure }
views-title-of = { $benchmark }: { $title }
views-medians = { $title }, medians
views-all-sizes = All sizes: averages, slowest samples, outliers
views-all-sizes-note = All percentiles and all other metrics are in { $file }. Percentiles are shown where there are enough samples; “time in outliers” is the share of the time that went to samples far slower than the others.
views-regimes = A { $of } of n bytes takes α + n/β; a new row begins where the protocol changes. Half of β is reached at n½ = αβ. A parameter whose 95% interval is wider than ±{ $sharp } is replaced by that width.
views-sizes-of-regime = Sizes
views-sizes = { $first } to { $last }
views-deviation = Deviation
views-left-out = Left out
views-flat = flat
views-half-interval =
    { $beyond ->
        [yes] over ±{ $half }
       *[no] ±{ $half }
    }
views-link = Link: { $rate }; “of link” is what the largest sizes reach of it.
views-curve-drawn =
    { $lines ->
        [one] { $lines } line, from { $low } to { $high }.
       *[other] { $lines } lines, from { $low } to { $high }.
    }
views-curve-caption =
    { $banded ->
        [yes] Medians; the band holds the middle 90% of the samples.
       *[no] Medians.
    }
views-curve-limits = Dashed: { $sources }.
views-curve-zero = 0 B is in the table.
views-axis-log = { $title }, log scale
views-axis-log-messages = messages, { $unit }, log scale
views-hidden = Communication hidden behind computation
views-hidden-drawn = From { $least } to { $most } of the communication is hidden behind computation.
views-axis-hidden = % hidden
views-all-sizes-of-overlap = All sizes
views-overlap-medians = Non-blocking operations, medians
views-alone = Alone
views-computation = Computation
views-both = Both
views-share-hidden = Hidden
views-method-of-curves = The median time for n bytes is fitted by α + n/β, with as few lines over the sizes as agree to within { $tolerance } or the noise, each with at least { $fewest } sizes; where a new line begins, the protocol changes. At most one size in { $odd } may be left out because it lies off its line, and is named; the parameters are a robust (Huber) fit of relative deviations to the others. A parameter whose 95% interval is wider than ±{ $sharp } is replaced by that width; the interval follows from the deviations of the sizes and does not include variation from run to run. Where neighbouring sizes scatter by more than { $noisy }, no line is fitted. The average of bandwidths is all bytes over all time. An outlier is a sample slower than the median by { $least } and by { $far } standard deviations, estimated from the median absolute deviation.
views-method-of-sizes = The average of bandwidths is all bytes over all time. An outlier is a sample slower than the median by { $least } and by { $far } standard deviations, estimated from the median absolute deviation.

# Problems of a collection.

views-family = Family
views-mean = Mean
views-lowest = Lowest
views-highest = Highest
views-in-cache = in cache
views-partly = partly
views-partly-in-cache = partly in cache
views-in-memory = in memory
views-unknown = unknown
views-lowest-of-limit = lowest of limit
views-which-is = which one
views-families =
    { $solver ->
        [none] By family.
       *[other] By family, with { $solver }.
    } { $limited ->
        [yes] Means are geometric; “of limit” is of those { $problems } that are far larger than the caches
       *[no] Means are geometric; no share of a limit is known, because none of these { $problems } that are far larger than the caches has one
    }
views-all-families =
    { $solver ->
        [none] all
       *[other] all with { $solver }
    }
views-some-of = { $some } of { $all }
views-all-problems = All { $number } { $problems }: what they are, and their figures
views-problems-csv = Values in full are in { $file }.
views-problems = All { $problems }, medians
views-problem = Name
views-solver = Solver
views-data = Data
views-format = Format
views-check = Check
views-run-with-solver = { $run } with { $solver }
views-beside = { $solver } beside { $other }
views-ratios = { $solver } over { $other }: above 1 the former is better. Means are geometric
views-solvers-compared = { $solver } over { $other }: geometric mean { $ratio } over { $number } { $problems }, from { $least } to { $most }; above 1 the former is better.
views-problems-over = { $title } over { $along }
views-with-solver = { $benchmark } with { $solver }
views-problems-of-limit = { $title }: share of the memory limit
views-problems-range = { $number } { $problems }, from { $low } to { $high }.
views-problems-limited = { $number } { $problems } far larger than the caches, from { $low } to { $high } of the memory limit.
views-better-for = { $solver } is better for { $better } of { $number } { $problems }; geometric mean of the ratios { $ratio }.
views-ratios-counted = { $between } of { $number } { $problems } lie between the two lines, { $below } below and { $above } above; the median ratio is { $median }.
views-ratios-median = The median ratio is { $median }.
views-ratio-line = Line at { $ratio }: { $mine }, over { $theirs }.
views-ratio-line-name = { $of ->
    [peak] arithmetic peaks { $ratio }
   *[memory] memory bandwidths { $ratio }
}
views-ratio-no-line = { $of ->
    [peak] No line at the ratio of the theoretical peaks of arithmetic: unknown for { $who }.
   *[memory] No line at the ratio of the measured memory bandwidths: not measured for { $who }.
}
views-ratio-states = The lines are those of { $number } of { $all } { $problems } ({ $states }); the others are counted by the lines of their own states.
views-ratio-state = { $who }: { $state }
views-ratios-named = Outliers are more than { $times } times ({ $deviations } robust standard deviations) off the median of the up to { $near } { $problems } nearest in size. { $number ->
    [0] There are none.
   *[other] There are { $number }{ $named ->
        [0] {""}
       *[other] ; the farthest are named, { $named } at most, where there is room
    }.
}
views-ratio-of = { $problem } ({ $ratio })
views-ratios-outliers = Outliers: { $each }{ $more ->
    [0] {""}
   *[other] {" "}and { $more } more
}.
views-ratios-cached = { $number } { $problems } fit the last-level cache of { $solver } alone, { $outliers } of the outliers among them. Their median ratio is { $median }, that of the others { $rest }.
views-held-by-both = in the caches of both
views-held-by-one = in the cache of one side alone
views-held-by-neither = larger than the caches of both
views-axis-percent-of-limit = % of limit
views-axis-times-better = times better
views-highlight = Click a family or a point to highlight its family; double-click the background to reset.
views-where-data = Data { $looks }.
views-no-memory-limit = not bounded by memory
views-best = best

# Figures over a setting.

views-plot-of = { $plot }: { $metrics }
views-flat-mpi = flat MPI
views-hybrid = hybrid { $threads } × { $ranks }
views-medians-alone = Medians.
views-medians-with-intervals =
    { $of ->
        [between] Medians with their 95% intervals between launches.
        [within] Medians with their 95% intervals within the launch.
       *[both] Medians with their 95% intervals, between launches or within the launch where there is one.
    }
views-best-joined = Where several cases share a place, the line joins the best of them.
views-best-drawn = Of several cases in one place, the best is drawn.
views-dashed-limit = Dashed: the limit by the measured ceilings.
views-vertical-limit = Vertical mark: the limit by the measured ceilings.
views-layouts = Hybrid a × b: a threads per rank, b ranks per node; flat MPI: one thread per rank.
views-no-limit = no limit known
views-along = { $name }
views-sweep-drawn = { $number } figures over { $along }, from { $low } to { $high }.

# Over the time of a phase, and ranks that were slow.

views-over-time = { $benchmark }: rate over time
views-over-time-drawn = Between { $low } and { $high } in single intervals.
views-more-over-time = { $number ->
    [one] 1 more case over time
   *[other] { $number } more cases over time
}
views-over-time-caption = Rate in each interval of the last round until its end, with fsync where that is timed: of all ranks together, and as if all were as fast as the slowest one.
views-course-of-rank = { $phase }, rank { $rank } × { $ranks }
views-axis-seconds = seconds since the phase began
views-stragglers = Slow ranks
views-no-stragglers = No rank was { $ratio } times slower than the median rank.
views-stragglers-caption = Ranks whose own rate was { $ratio } times below that of the median rank, or more; at most five of a figure
views-straggling-rank = Rank
views-straggling-rate = Its rate
views-straggling-ratio = Times slower
views-figure = Figure
views-straggling-ranks = { $ranks }
views-straggling = Slow ranks: { $metric }
    .evidence = { $who }: { $slowest }, { $ratio } times less than the median rank's { $median }
    .confirm = Run without that host (--hosts), and check what else it does and its link to the storage
views-straggler = { $who } was { $ratio } times slower than the median rank in { $metric }
views-method-of-stragglers = Each rank's own rate is its own work over its own time. Ranks { $ratio } times slower than the median rank are named.
views-dealt = { $have }, because their { $rates }; { $reached }
views-dealt-as-given = { $have }, as asked for; their { $rates }; { $reached }
views-dealt-have = { $parts } have { $shares } of { $problem }
views-dealt-equally = { $parts } have equal parts of { $problem }; their { $rates }; { $reached }
views-dealt-limited = { $said }; { $limit }
views-dealt-rates = { $measured } are { $rates } with all ranks running at once
views-dealt-reached = together they reach { $reached } of the sum over all ranks, { $sum }
views-dealt-parts = How { $parts } share { $problem }
views-dealt-rate = Rate
views-dealt-share = Share of { $problem }
views-dealt-computed = computed
views-dealt-moved = moved data
views-dealt-waited = waited
views-dealt-caption = { $part }: { $measured }, measured before the run with all ranks at once; the share of { $problem }; and the time that the main threads of its ranks spent computing, moving data in memory, and waiting for messages and other threads (means over its ranks).
views-dealt-work = What { $parts } did
views-dealt-work-drawn = Of the { $parts }, the one that waits most waits for { $most } of its time.
views-dealt-work-caption = Time of the main threads, as means over the ranks of each of the { $parts }. { $more ->
    [0] { "" }
   *[other] { $more } further bars are in the table.
  }
views-dealt-bar = { $case }, { $part }
views-dealt-unfit = Shares of { $problem } that were asked for
    .evidence = { $parts } have { $shares } of { $problem }, and their rates call for { $wanted }: waiting for the one with too much takes { $idle } of the time
    .confirm = Use --set shares=rates, by which the shares follow the rates
views-dealt-steps = How { $parts } spent their time from the first step to the last
views-dealt-steps-axis = % of the steps
views-dealt-steps-drawn = Shares of the time of the { $parts } over the steps of { $case }.
views-dealt-steps-caption = { $case }. Each band is the time of the main threads of one part in equally many steps. { $more ->
    [0] { "" }
   *[other] { $more } further parts are not drawn.
  }
views-partition = { $name }
views-dealt-one-of = { $group }, { $number } of { $all }
views-processors = processors { $cpus }

# What nodes of several partitions reach alone and together.
views-subsets = Each partition alone, and together
views-subsets-nodes = { $nodes ->
    [one] 1 node
   *[other] { $nodes } nodes
} of { $name }
views-subsets-used = Nodes
views-subsets-ranks = Ranks per node
views-subsets-figure = Figure
views-subsets-sum = Sum of the parts
views-subsets-of-sum = Of the sum
views-subsets-of-peak = Of peak
views-subsets-added = Added
views-subsets-caption = Verified cases. The sum of the parts is that of the best figures of as many nodes of each partition alone. Added: compared with the best case without some of the partitions. Each case has its own problem size.
views-subsets-slowed = Nodes of { $names } slow the others down: the best figure is that of { $nodes } without them, { $figure }.
