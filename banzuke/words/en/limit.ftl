# What judging a figure finds: causes, with their evidence and what would confirm or remove them.

# How good a figure is.

limit-subject = { $value }{ $sized ->
    [yes] {" "}at { $size }
   *[no] {""}
}{ $where ->
    [placed] {" "}({ $on })
    [part] {" "}on { $cores } of { $available } cores
   *[all] {""}
}{ $launches ->
    [1] {""}
   *[other] {" "}(median of { $launches } launches)
}
limit-of-limit = { $share } of { $kind ->
    [time] { $own ->
        [itself] the speed of its own best (the measured { $of })
        [yes] the speed of { $of }
       *[no] the speed that the measured { $of } allows
    }
   *[rate] { $own ->
        [itself] its own best (the measured { $of })
        [yes] { $of }
       *[no] the measured { $of }
    }
}{ $part ->
    [yes] {" "}of as many cores
   *[no] {""}
}
limit-of-peak = { $share } of the theoretical rate ({ $source })
limit-unknown = limit unknown: { $reason }
limit-partly-cached = part of the data may have come from cache
limit-see-warning = above the limit: see the warning
limit-undefined = no limit is defined for this figure
limit-skipped = skipped: { $reason }
limit-withheld = figure withheld, verification failed: { $quantity } is { $value }, allowed is { $tolerance }
limit-not-finite = not finite
limit-no-figure = no figure: { $reason }
limit-in-cache = the working set of { $size } stays in the last-level cache of { $cache }, so memory does not bound it
limit-partly-in-cache = part of the data may stay in the last-level cache of { $cache }
limit-partly-nearer = up to { $share } of the data may come from { $kind ->
    [last] the last-level cache of { $cache }
   *[nearer] the { $cache } of the next nearer caches
}, and only the rest has to come from behind it
limit-in-memory = the working set of { $size } is far larger than the last-level cache of { $cache }
limit-official = VALID by all official rules
limit-unofficial = VALID, but not an official result: { $violations }
limit-violation = { $found } instead of { $rule }

# Where limits come from.

limit-ceiling = { $name } { $rate }, { $source }
limit-sources = { $sources }
limit-noted = { $source }; { $note }
limit-own-bound = { $source }
limit-derived = { $derivation }
limit-derived-of-device = { $derivation } ({ $device })
limit-measured-by = measured by { $benchmark }{ $metrics ->
    [1] {""}
   *[other] {" "}({ $metric })
} on { $devices ->
    [0] { $cores ->
        [one] 1 core
       *[other] { $cores } cores
    }
    [one] 1 device
   *[other] { $devices } devices
}{ $device ->
    [none] {""}
   *[other] {" "}({ $device })
}{ $hosts ->
    [1] {""}
   *[other] {" "}of each of { $hosts } hosts
}
limit-known-on = { $source }{ $cores ->
    [0] {""}
    [one] {" "}on 1 core
   *[other] {" "}on { $cores } cores
}
limit-other-state = the best of other states, because it was not measured with { $state }, or only with too little data or while others used the processors
limit-state-unknown = the best of all states, because that of this launch is not known
limit-state-moved = the best of all states, because the processors moved during this launch
limit-uncertain-state = whether it was measured with { $state } is not known
limit-in-state = { $total ->
    [1] with { $state }
   *[other] with { $state } in { $launches } of { $total } launches
}
limit-state-met = { $launches ->
    [one] { $state } in 1 launch
   *[other] { $state } in { $launches } launches
}
limit-states-met = The machine changed while it was measured: { $states }.
limit-own-state = Each figure is judged by the ceilings of its own state, where they were measured.
limit-launches-moved = The processors moved during { $launches ->
    [one] 1 launch
   *[other] { $launches } launches
} of { $benchmarks }, so the best ceilings of all states judge { $launches ->
    [one] it
   *[other] them
}: the shares of limits may be too low.
limit-host-apart = { $host } sets the pace of all hosts{ $total ->
    [1] {""}
   *[other] {" "}in { $launches } of { $total } launches
}: { $how }
limit-host-far = a cache line passes in { $time } between its processors, in { $least } on { $host }
limit-host-near-before = a cache line passes in { $time } between its processors, and faster in other launches
limit-host-clock = its clock is { $clock }, that of { $host } { $most }
limit-small-for-caches = its { $size } of data are less than { $times } times the last-level cache of { $cache }, which may have served a part of them
limit-others-used = other processes or the hypervisor used the processors meanwhile, so more may be possible
limit-ceilings-small = These ceilings may be too high, because caches may have served a part of the data, and no larger case measured them: { $rates }.
limit-ceilings-disturbed = These ceilings may be too low, because other processes or the hypervisor used the processors during all launches that measured them: { $rates }.
limit-ceilings-apart = { $why ->
    [cached] Higher figures set no ceiling, because caches may have served a part of their data
   *[size] Other sizes of the same case gave less; the highest figure is the ceiling
}: { $rates }.
limit-ceiling-rate = { $name } { $rate }
limit-ceiling-apart = { $name } { $rate } (not { $other })
limit-short-case = { $source } in a short case for this purpose
limit-from-run = { $source }, { $age }, in run { $run }
limit-earlier-unknown = at another time
limit-days = { $days ->
    [one] 1 day earlier
   *[other] { $days } days earlier
}
limit-age = { $duration } { $when ->
    [earlier] earlier
   *[later] later
}
limit-times-hosts = times { $hosts } hosts
limit-times-devices = times { $devices } devices
limit-whole-machine = the rate of the whole machine, of which { $cores } of { $available } cores were used
limit-area-described = the rate of storage area { $area } as described
limit-area-link = the link of a host to storage area { $area }, { $rate }
limit-of-area = storage area { $area }
limit-scaled = scaled from { $reached ->
    [one] 1 core
   *[other] { $reached } cores
} to { $cores ->
    [one] 1 core
   *[other] { $cores } cores
}
limit-scaled-kinds = which have { $part } of the speed of all
limit-scaled-clock = at the clock of one core, { $alone } instead of { $together }
limit-scaled-clock-all = at the clock of all cores, { $together } instead of { $alone }
limit-moved = { $ratio } bytes move for each byte counted
limit-own-ceiling = its own ceiling: the best rate that its own cases show
limit-own-best = of its own best
limit-of-its-limit = of its limit
limit-share = { $share } { $of }
limit-legend = of limit: the median as a share of the best value that rates measured on this machine allow; “of its own best”: the benchmark measured that rate itself, so the share only compares its own figures
limit-unmeasured = no benchmark here measures the { $kind ->
    [measured] rate of
   *[theoretical] theoretical rate of
} { $resource }
limit-unknown-above = what bounds the { $rate } is not measured yet (run `banzuke machine`)
limit-unknown-rate = the { $rate } is not measured yet (run `banzuke run { $benchmark }`)
limit-unknown-rate-of-device = the { $rate } of { $device } is not measured yet (run `banzuke run { $benchmark }{ $number ->
    [none] {""}
   *[other] {" "}--devices { $number }
}`)
limit-unknown-peak-of-device = the theoretical { $rate } of { $device } is unknown
limit-unknown-kind-of-device = the { $rate } is unknown: nothing shows on which kind of the node’s devices it ran
limit-unknown-peak = the theoretical { $rate } is unknown
limit-unknown-peak-why = the theoretical { $rate } is unknown: { $why }
limit-nothing-known = no rate is known for what it uses
limit-other-unit = no work is counted in the unit of this metric, { $unit }

# Figures above their limits.

limit-above = { $figure }: { $value } is { $share } of its limit ({ $source }){ $others ->
    [0] {""}
    [one] {" "}and 1 more figure of the case is above its own
   *[other] {" "}and { $others } more figures of the case are above theirs
}. { $why }
limit-above-caches = It measures the caches: { $why }
limit-above-own = The machine was disturbed while that was measured, or there is a faster way. Run it again
limit-above-other-run = That limit comes from run { $run }, where the machine was slower or data stayed in cache. Measure it again, best in the same run
limit-above-memory = Data stayed in cache, or the limit was measured while the machine was busy. Measure it again while the machine is idle
limit-above-area = That limit was measured while others used the storage area, or a cache served this. Measure it again in the same run
limit-above-clock = The clock was { $clock } in this run and { $reference } when the limit was measured. Measure it again while the machine is idle
limit-above-compute = The limit was measured while the machine was busy or its clock low, or the work is counted too high. Measure it again while the machine is idle
limit-cached = Part of the traffic may have come from cache, not from memory: { $why }
limit-may-fit = at most { $moved } move in a sample, less than { $factor } times the last-level cache of { $cache }
limit-beyond-area = { $figure }: { $value } is { $share } of what the storage area and the links to it can give ({ $source }), so a cache served it, or these rates are stated too low; it sets no ceiling{ $others ->
    [0] {""}
    [one] {" "}(1 more figure of the case is above its own)
   *[other] {" "}({ $others } more figures of the case are above theirs)
}
limit-beyond-peak = { $figure }: { $value } is { $share } of the theoretical peak ({ $source }), so that peak is too low{ $others ->
    [0] {""}
    [one] {" "}(1 more figure of the case is above its own)
   *[other] {" "}({ $others } more figures of the case are above theirs)
}: { $why }
limit-peak-other-path = the messages did not take the path that it describes, or it is slower than what was built
limit-peak-of-memory = it counts too few memory channels or too slow ones, or data stayed in cache
limit-peak-of-link = it counts too few links or lanes or too slow ones, or the data took another way
limit-peak-of-clock = it assumes { $nominal }, but a clock of { $clock } was measured
limit-peak-of-units = the clock ran above the assumed one, or it counts too few units

# What values of an axis do.

limit-no-times = emulated in software: its times mean nothing
limit-incomparable = { $reason }
limit-one-launch = no verdict from one launch
limit-no-difference = no difference shown
limit-times = { $ratio } times { $how ->
    [better] better
   *[worse] worse
}
limit-percent = { $change } { $how ->
    [better] better
   *[worse] worse
}

limit-first-value = first value
limit-figure = Figure
limit-best = { $figure }: { $value } is the best, { $ratio } times { $second }
limit-best-of-one-launch = { $figure }: { $value } is the best, { $ratio } times { $second }, as far as one launch shows
limit-ratios = { $axis }: ratio to { $reference } (above 1 is better)

limit-setting = Better with a different setting of { $names }
    .evidence = { $shown } was { $ratio } times better in { $run ->
        [same] the same run
       *[other] another run
    }
    .confirm = Run with { $shown }
limit-so-many = { $of ->
    [threads] { $number ->
        [one] 1 thread
       *[other] { $number } threads
    }
   *[ranks] { $number ->
        [one] 1 rank
       *[other] { $number } ranks
    }
}
limit-set = { $name }={ $value }
limit-default = the default

limit-repetition = Change between runs
    .evidence = The same case was { $ratio } times better on { $date } at { $time }, in { $run ->
        [same] the same run
       *[other] another run
    }
    .confirm = Run it again while the machine is idle; if it stays slow, compare software and kernel settings

limit-slow-blas = Slower BLAS library than others on this machine
    .evidence = { $used } reached { $rate } in a short test, { $fastest } { $best } ({ $ratio } times the rate)
    .confirm = Run with --library { $path }
limit-slow-mpi = Slower MPI library than others on this machine
    .evidence = In a short test within a host, { $figure ->
        [latency] 8 B took { $value } with { $used } and { $best } with { $fastest }
        [allreduce] an Allreduce of 8 B took { $value } with { $used } and { $best } with { $fastest }
       *[bandwidth] messages of 1 MiB reached { $value } with { $used } and { $best } with { $fastest }
    } ({ $ratio } times better)
    .confirm = { $built ->
        [yes] Run with --build { $build }
       *[no] Run make build NAME={ $build } MPI={ $folder }, then with --build { $build }
    }
limit-steered-blas = { $variable } makes the BLAS library use other kernels than it would choose
    .evidence = { $variable }={ $value } was set for this run
    .confirm = Run without { $variable }
limit-slowed-blas = { $variable } slows down this BLAS library
    .evidence = { $blas } was slower with { $variable }, which this run did not unset
    .confirm = Run with { $variable } unset
limit-preloaded = { $variable } replaces functions of libraries
    .evidence = { $variable }={ $value } was set: these libraries come before the program's own, and may replace what is measured
    .confirm = Run with { $variable } unset
limit-steered-threads = Variables of the shell steer how threads run
    .evidence = { $variables } { $number ->
        [one] was
       *[other] were
    } set, and programs inherit { $number ->
        [one] it
       *[other] them
    }
    .confirm = Run with { $variables } unset
limit-copied-twice = Messages between ranks of a host are copied twice
    .evidence = { $refused ->
        [yes] Cross-memory attach, which copies them only once, is forbidden here ({ $reason })
       *[no] { $variables } { $number ->
            [one] was
           *[other] were
        } set, so MPI does no single-copy transfers
    }
    .confirm = { $refused ->
        [yes] Allow it and run again. For a container: --cap-add=SYS_PTRACE or --security-opt seccomp=unconfined; else kernel.yama.ptrace_scope=0
       *[no] Run with { $variables } unset
    }
limit-plain-stores = Regular stores: each cache line is read before it is written
    .evidence = { $counted ->
        [yes] Stores were regular: { $ratio } bytes move for each byte counted
       *[no] Stores were regular, and reading those lines is not counted as traffic
    }
    .confirm = Run with stores=nontemporal

limit-shared-processor = Several threads on one processor
    .evidence = { $threads } threads are bound to { $number ->
        [one] processor
       *[other] processors
    } { $processors } of { $host }
    .confirm = Run without a binding of your own, or with one processor for each thread
limit-own-placement = Variables of the shell place the threads
    .evidence = { $variables } { $number ->
        [one] was
       *[other] were
    } set, so programs did not bind one thread to each processor
    .confirm = Run with { $variables } unset
limit-no-headline = no headline, because { $threads } threads share { $number ->
    [one] processor
   *[other] processors
} { $processors } of { $host }{ $set ->
    [yes] {" "}({ $variables } { $number_set ->
        [one] was
       *[other] were
    } set)
   *[no] {""}
}
limit-crowded-in = In { $run } { $threads } threads of { $case } shared { $number ->
    [one] processor
   *[other] processors
} { $processors }, so it is no headline{ $set ->
    [yes] {" "}({ $variables } { $number_set ->
        [one] was
       *[other] were
    } set)
   *[no] {""}
}
limit-no-headline-cached = no headline of the memory, because the working set of { $size } stays in the last-level cache of { $cache }
limit-served-in = In { $run } the working set of { $case }, { $size }, stays in the last-level cache of { $cache }, so it is no headline of the memory
limit-each-host = each of { $number } hosts ({ $hosts })
limit-unbound = Threads are not bound and may move between processors
    .evidence = { $loose } of { $threads } threads on { $host } may run on several processors, one of them on { $processors }
    .confirm = Bind each thread to one processor; the figure should then rise or vary less
limit-too-many-threads = More threads than processors
    .evidence = { $threads } threads share { $processors ->
        [one] 1 processor
       *[other] { $processors } processors
    }
    .confirm = Run with { $processors ->
        [one] 1 thread
       *[other] { $processors } threads
    } in total
limit-smt-siblings = { $certain ->
    [yes] Threads share a core
   *[no] Threads may share a core
}
    .evidence = { $threads } threads are bound on { $host }, { $number } of them to the second hardware thread of a core (processors { $processors }); the job has { $cores } cores
    .confirm = Run with one thread per core, on processors { $usable }
limit-idle-cores = Too few cores to saturate the memory bandwidth
    .evidence = { $cores } of { $available } cores were used
    .confirm = Run with { $available } threads in total
limit-unlike-cores = { $slow ->
    [one] 1 of { $cores } cores is { $ratio } times as fast; equal shares wait for it
   *[other] { $slow } of { $cores } cores are { $ratio } times as fast; equal shares wait for them
}
    .evidence = On { $host } threads are bound to { $kinds } { $how ->
        [measured] each, measured with vector FMA on all cores at once
        [nominal] nominal
       *[highest] at most
    }; equal shares use { $used } of their combined rate
    .confirm = Run on the { $left ->
        [one] other one
       *[other] { $left } others
    } alone (--cores { $others }); if shares are equal, the figure is then { $gain } times as high
limit-of-kind = { $number ->
    [one] 1 core
   *[other] { $number } cores
} ({ $kind }) of { $speed }
limit-small-pages = Small pages: more TLB misses
    .evidence = { $share } of the process's memory was on huge pages; transparent huge pages: { $setting }
    .confirm = { $remedy ->
        [ask] Run with pages other than base pages
        [enable] As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, then run again
       *[free] Free memory so that the kernel finds contiguous pages, then run again
    }
limit-page-migration = NUMA balancing: the kernel unmaps pages to see who uses them
    .evidence = numa_balancing is { $setting } on { $nodes } NUMA nodes
    .confirm = As root: sysctl kernel.numa_balancing=0, then run again

limit-low-clock = Low processor clock
    .evidence = { $clock } right after the run, { $reference } { $kind ->
        [measured] when the machine was measured
       *[nominal] nominal
    }
    .confirm = Watch clock, temperature and power limit during a run; repeat `banzuke machine`
limit-below-nominal = Processors run below their nominal clock
    .evidence = { $clock } under vector load on all cores, { $nominal } nominal
    .confirm = Wide vectors may lower the clock by design; otherwise check power limit, cooling and governor
limit-governor = Frequency governor saves power
    .evidence = The kernel's governor is { $governor }
    .confirm = As root: cpupower frequency-set -g performance, then run again
limit-preempted = Threads were preempted
    .evidence = { $switches } involuntary context switches in { $seconds }, { $rate }/s per thread
    .confirm = Stop other work, or leave one core to it, and run again
limit-busy-neighbours = Other processes were running
    .evidence = They used { $share } of the machine's processor time during this case
    .confirm = Stop them (see top) and run again
limit-near-processors = The hypervisor placed the virtual processors close together, where they share a path to memory
    .evidence = A cache line passed between the threads' processors in { $time }, and in { $farthest } during another launch on the same processors
    .confirm = Compare cases of equal distance; ask for virtual processors that stay in place
limit-hypervisor = the hypervisor
limit-stolen-time = The hypervisor took processor time
    .evidence = { $share } of the time was taken by { $hypervisor }
    .confirm = Run at another hour, or on a virtual machine with dedicated processors
limit-throttled = Processor quota of the control group
    .evidence = Processes were stopped for { $lost } in a run of { $seconds }
    .confirm = Ask for a larger quota (cpu.max), or run with fewer threads
limit-quota-changed = Processor quota that changed
    .evidence = The quota of the control group changed from { $before } to { $after } processors while the case ran
    .confirm = Run again while nobody changes it; groups and ranks share by the rates from before the change
limit-quota = Processor quota of the control group
    .evidence = A quota of { $quota } processors for { $threads } threads
    .confirm = Run with { $fewer ->
        [one] 1 thread
       *[other] { $fewer } threads
    }, or ask for a larger quota (cpu.max)
limit-load = Work was running before this case
    .evidence = The load was { $load } when it started, possibly from the case before it
    .confirm = Run the case alone on the idle machine
limit-varying = Disturbance that comes and goes during the run
    .evidence = The median of { $samples } samples is { $gap } worse than { $than ->
        [fastest] the best 5%
       *[best] the best
    }
    .confirm = Run it again while the machine is idle; if the samples still vary, check the clock and other processes
limit-slow-samples = Few calls take far longer than the others
    .evidence = { $share } of { $samples } samples took { $time } of the time; the slowest took { $ratio } times the median
    .confirm = Look for what interrupts the processors: the kernel's timer, daemons, the hypervisor

# Accelerators.

limit-device-throttled = device { $device } was throttled for { $share } of the timed part ({ $reason ->
    [power] power limit
    [heat] temperature
   *[hardware] hardware slowdown
})
limit-device-power = The device's power limit lowers its clock
    .evidence = Device { $device } was throttled by its power limit for { $share } of the timed part; its median clock was { $clock }, the highest is { $highest }
    .confirm = Compare the power with the limit (nvidia-smi -q -d POWER); at the default limit this is the device's own bound
limit-device-power-lowered = The device's power limit is below its default
    .evidence = Device { $device } may take { $limit }, by default { $default }, and was throttled by that for { $share } of the timed part; its median clock was { $clock }, the highest is { $highest }
    .confirm = Ask whether the site set it; as root: nvidia-smi -pl with the default, then run again
limit-device-hot = The device is throttled by its temperature
    .evidence = For { $share } of the timed part device { $device } was throttled by its temperature, { $degrees } °C at most; its median clock was { $clock }, the highest is { $highest }
    .confirm = Check fans, air flow and coolant; run again after a pause and compare the first minutes
limit-device-slowdown = The device's hardware lowers its clock
    .evidence = For { $share } of the timed part device { $device } was slowed down by its hardware or by the supply's power brake; its median clock was { $clock }, the highest is { $highest }
    .confirm = Check power cables and supplies, and the kernel's log for messages of the driver (Xid)
limit-device-held-clock = The device runs below its highest clock, and nothing throttles it
    .evidence = Device { $device } ran at { $clock } in the median; its highest clock is { $highest }{ $by ->
        [clock_setting] , and a clock setting holds it there
        [sync_boost] , and its driver holds it to the clock of its group of devices
       *[unknown] {""}
    }
    .confirm = See which clocks are set (nvidia-smi -q -d CLOCK); as root: nvidia-smi -rgc and -rac, then run again
limit-device-link = The device's link is slower than it could be
    .evidence = Under load device { $device } had PCI Express generation { $generation } x{ $width }; possible is generation { $best } x{ $widest }{ $slot ->
        [slot] {" "}in another slot
       *[device] {""}
    }
    .confirm = Check slot, riser and firmware settings (lspci -vv: LnkCap, LnkSta), and reseat the card
limit-device-ecc = Error correction takes bandwidth of the device's memory
    .evidence = ECC is on for device { $device }, which stores the check bits in its memory itself (a bus of { $bits } bits)
    .confirm = If errors are acceptable: as root nvidia-smi -e 0, reset it, and run again
limit-device-errors = The device's memory had errors
    .evidence = During the case device { $device } counted { $corrected } corrected and { $uncorrected } uncorrected errors
    .confirm = See nvidia-smi -q -d ECC,ROW_REMAPPER; if the counts keep rising, have the device tested
limit-device-repair = Memory with errors is not replaced
    .evidence = On device { $device } memory with errors { $state ->
        [pending] waits for a reset to be replaced by spare memory
       *[failed] could not be replaced by spare memory
    }
    .confirm = See nvidia-smi -q -d ROW_REMAPPER,PAGE_RETIREMENT; ask the site to reset the device, or to exchange it
limit-device-far = A rank runs far from its device
    .evidence = Ranks { $ranks } run on processors outside NUMA node { $node }, to which their device { $device } is attached
    .confirm = Leave the binding to Banzuke, or name cores of that node
limit-device-far-memory = The host's memory is far from the device
    .evidence = It was bound to NUMA node { $nodes }, and device { $device } is attached to node { $node }
    .confirm = Run it again with --memory bind:{ $node }
limit-device-shared = Other processes used the device
    .evidence = On device { $device } { $processes ->
        [one] 1 process was
       *[other] { $processes } processes were
    } running that began before the case
    .confirm = End them (nvidia-smi lists them) and run again
limit-device-start = The driver sets the device up for each program
    .evidence = { $seconds } passed before the first timed part, and persistence mode is off on device { $device }
    .confirm = As root: start nvidia-persistenced, or nvidia-smi -pm 1, and run again

# Launches of a case.

limit-none-verified = none of { $launches } launches verified
limit-some-verified = { $verified } of { $launches } launches verified
limit-launches-failed = { $number } { $status ->
    [skipped] skipped
   *[failed] failed
}: { $reason }
limit-launch-apart = launch { $launch } of { $launches } was { $ratio } times { $how ->
    [better] better
   *[worse] worse
} than the others: { $seen }
limit-launch-stands-out = One launch stands out
    .evidence = Launch { $launch } of { $launches }, at { $time }, gave { $value }, the others { $others }. During it { $seen }
    .confirm = The median excludes it; more launches (--repeat 5) show whether it happens again
limit-launches-gave = its launches gave { $gave }
limit-launches-differ = Launches vary more than usual
    .evidence = { $verified } launches gave { $gave } (spread { $spread }). During the worst, launch { $launch } of { $launches }, { $seen }
    .confirm = Run it again while the machine is idle, with more launches (--repeat 5)
limit-disturbed = during { $disturbed } of { $launches ->
    [one] 1 launch
   *[other] { $launches } launches
} { $used }, so these figures are not those of the machine alone. Stop the others (see top) and run again
limit-used-by-others = other processes used { $share } of the processors (median{ $apart ->
    [yes] {" "}of these launches; up to { $most }, during { $benchmark }
   *[no] {""}
})
limit-disturbed-in = { $run }: { $what }
limit-launch-busy = other processes used { $one } of the processors' time (during the others { $usual })
limit-launch-stolen = the hypervisor took { $one } of the time (during the others { $usual })
limit-launch-throttled = a quota stopped the processes for { $one } of the time (during the others { $usual })
limit-launch-clock = the clock was { $one } (after the others { $usual })
limit-launch-preempted = each thread was preempted { $one } times per second (during the others { $usual })
limit-launch-pages = huge pages held { $one } of the data (during the others { $usual })
limit-launch-distance = a cache line passed between the threads' processors in { $one } (during the others { $usual })
limit-launch-processors = its threads were on different processors
limit-launch-hosts = it was on different hosts
limit-launch-alike = nothing that was recorded differed

# Noise.


# Problems of a collection.

limit-problems =
    { $solver ->
        [none] { $number } { $problems }
       *[other] { $number } { $problems } with { $solver }
    }{ $failed ->
        [0] { "" }
       *[other] , { $failed } not verified
    }
limit-problems-without-figure = no figure
limit-problems-mean = geometric mean { $mean }
limit-problems-of-limit = the { $number } far larger than the caches reach { $share } of their limit, { $least } at worst ({ $which })
limit-problems-without-limit = limit unknown: { $why }
limit-problems-in-cache = none is far larger than the caches
