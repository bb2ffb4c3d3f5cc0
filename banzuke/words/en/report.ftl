# The report's own headings, tables and sentences.
report-kind-of-page = Performance evaluation
report-skip = Skip to the first section
report-contents = Contents
report-light = Light
report-dark = Dark
report-no-script = Charts are drawn by JavaScript. The same charts are in the folder figures as SVG and PDF.
report-script-alone = Charts are drawn by JavaScript.
report-broken-chart = This chart could not be drawn
report-undrawn =
    { $missing ->
        [one] 1 of { $charts } charts has
       *[other] { $missing } of { $charts } charts have
    } no SVG and PDF files: { $why }. All else is complete. Where a limit is the cause, `banzuke report` draws them under a higher one, or on another machine.
report-undrawn-yet = The charts are not drawn yet. If this does not change, `banzuke report` was ended while it drew them; all else is complete.
report-undrawn-told = A description stands in for each chart.
report-undrawn-limit = the program that draws ended with { $end }, probably because of a limit: { $limits }
report-undrawn-address-space = `ulimit -v` allows { $allowed } of address space, and it reserves { $taken }
report-undrawn-allowed = `ulimit { $option }` allows { $allowed }
report-undrawn-killed = the program that draws was killed (SIGKILL), probably because memory ran out
report-undrawn-killed-in-group = the program that draws was killed (SIGKILL), probably because memory ran out: this control group may use { $allowed }
report-undrawn-hung = the program that draws did nothing for { $time } and was ended
report-undrawn-said = the program that draws ended with { $end }: { $said }
report-undrawn-ended = the program that draws ended with { $end }
report-undrawn-unstarted = the program that draws could not be started: { $said }
report-undrawn-unstarted-limit = the program that draws could not be started: { $said }, probably because of a limit: { $limits }
report-undrawn-refused = Vega does not draw { $chart }: { $said }
report-more = The rest of this section is in report.html
report-whole = Print all sections
report-rest =
    { $number ->
        [one] 1 further section is
       *[other] { $number } further sections are
    } in report.html: all cases, settings, charts and how to reproduce each figure.
report-data = Data of this report:
report-footer = Run { $run } · machine fingerprint { $fingerprint } · { $start } to { $end } · Banzuke { $version }.
report-fleet =
    { $nodes ->
        [one] 1 node
       *[other] { $nodes } nodes
    }
report-fleet-footer = Run { $runs } · Banzuke { $version }.
report-several = { $number } runs side by side
report-each-host = each of { $number } hosts: { $processor }
report-usable-cores =
    { $number ->
        [one] 1 usable core
       *[other] { $number } usable cores
    }
report-memory = { $size } memory

report-benchmark = Benchmark
report-figure = Figure
report-figure-at = { $title } at { $size }
report-of-limit = of limit
report-of-peak = of peak
report-verification = Verification
report-median = Median
report-launches = Launches
report-interval = 95% interval
report-best = Best
report-spread = Spread
report-samples = Samples
report-case = Case
report-case-and-more =
    { $more ->
        [0] { $case }
        [one] { $case } and 1 more case
       *[other] { $case } and { $more } more cases
    }
report-more-cases =
    { $number ->
        [one] and in 1 more case
       *[other] and in { $number } more cases
    }
report-check = Check
report-number = Number
report-worst = Nearest to what is allowed
report-allowed = Allowed
report-ratio = Ratio
report-all-cases = All cases
report-verdict = Verdict
report-range = { $low } to { $high }
report-threads = Threads
report-kind = Kind
report-source = Source
report-run = Run
report-record = Record
report-settings = Settings
report-all = all
report-image = image
report-not-recorded = not recorded

report-no-headline = no headline figure
report-verified = verified
report-skipped = skipped
report-failed = failed
report-not-verified = did not verify
report-of-launches = { $verified } of { $launches }
report-within-launch = { $interval } within the launch
report-launch = launch { $number } of { $launches }
report-launch-shown = { $launch } (shown here)

report-summary = Summary
report-summary-caption = Headline figure of each benchmark: median of its headline case
report-nothing-measured = No case was measured; { $planned } were planned. There are no figures to report.
report-cases-ran = { $cases } of { $of } { $of ->
        [one] case
       *[other] cases
    } ran in { $time }
    { $launches ->
        [one] (1 launch).
       *[other] ({ $launches } launches).
    }
report-all-verified =
    { $cases ->
        [one] The case verified.
        [2] Both cases verified.
       *[other] All { $cases } cases verified.
    }
report-some-verified = { $verified } of the { $cases } cases verified.
report-verified-of = { $verified } of { $cases } cases verified
report-mean-of = { $number ->
    [one] the only case that ran
   *[other] geometric mean of { $number } cases
}

report-problems = Failed and skipped
report-missing-cases =
    { $number ->
        [one] 1 planned case has no record: the evaluation was interrupted or has not reached it.
       *[other] { $number } planned cases have no record: the evaluation was interrupted or has not reached them.
    }
report-missing-launches =
    { $number ->
        [one] 1 planned launch of a measured case has no record.
       *[other] { $number } planned launches of measured cases have no record.
    }
report-unreadable = Records that could not be read and are not part of this report:
report-without-views = Charts and tables of the benchmarks’ own are left out, because drawing them failed: { $error }. This is a defect of Banzuke or of a benchmark.
report-log = End of its error output

report-cases = All cases
report-cases-of = { $figure }, all cases
report-between = Intervals and spreads are between launches; “within the launch”: between the samples of the one launch.
report-checks = Checks of the results
report-checks-passed =
    { $number ->
        [one] The result was checked and is correct
       *[other] All { $number } results were checked and are correct
    }
report-checks-failed = { $number } of { $all } results failed their checks
report-limit-sources = Where the limits come from
report-limit-from = Limit of { $figure }: { $source }
report-no-limit = { $figure } has no known limit: { $why }
report-peak-from = Peak of { $figure }: { $source }
report-evidence = Evidence
report-confirm = To confirm
report-causes = What likely holds it back
report-warnings = Warnings
report-rules = Official rules
report-official = VALID, and within all official rules
report-not-official = VALID, but not an official result, which requires { $rule }

report-device-clock = { $benchmark }: clocks of devices
report-device-power = { $benchmark }: power of devices
report-device = device { $device }
report-device-seconds = seconds since the program began
report-device-drawn = Between { $low } and { $high }.
report-device-caption = As the driver reported while the case ran, including set-up and checks; readings are instantaneous.
report-device-some = Of { $all } devices, the { $shown } with the lowest mean are drawn.
report-samples-title = { $benchmark }: samples
report-samples-axis = deviation of a sample from the median, %
report-samples-caption = Each tick is one sample; the band is the 95% interval.
report-samples-launches = Dots are the medians of the launches.
report-samples-cut = An interval is cut where it extends far beyond all samples.
report-samples-thinned = Of more than { $number } samples, { $number } evenly spaced in rank are drawn, extremes included.
report-samples-some = { $shown } of { $all } distributions are drawn; the data files hold all.
report-samples-description = Distributions of the samples of { $number } figures. The farthest sample is { $farthest } from its median, in { $of }.

report-roofline = Roofline
report-no-roofline = No roofline: it needs a memory bandwidth, an arithmetic rate, and a verified figure whose work has both flops and bytes.
report-ceilings-caption = Ceilings: the rates against which figures are judged
report-ceiling = Ceiling
report-ceiling-in-state = { $title } ({ $state })
report-ceiling-of-device = { $title }, one { $device ->
    [none] device
   *[other] { $device }
}
report-ceiling-kind =
    { $kind ->
        [measured] measured
       *[theoretical] theoretical
    }
report-roof-of-cache = L{ $level } { $rate }
report-roof-of =
    { $kind ->
        [measured] { $rate } measured
       *[theoretical] { $rate } theoretical
    }
report-roof-whose = { $name }: { $roof }
report-roofs-whose = { $partition ->
    [none] {""}
   *[other] { $partition }{" "}
}{ $kind ->
    [host] host
   *[device] { $device ->
        [none] device
       *[other] { $device }
    }
}
report-intensity = arithmetic intensity, flop/B
report-roofline-caption = Solid lines: measured ceilings; dashed: theoretical. Flops as each benchmark defines them, bytes as any method must move them; figures without flops are not shown. Both axes are logarithmic.
report-roofline-caches = Dotted lines: measured bandwidths of caches, for figures whose data lie there.
report-roofline-devices = Thick lines and hollow points: one device. Thin lines and filled points: the processors of one host.
report-roofline-without = Figures on { $who } are left out: a roof is unknown.
report-roofline-together = Figures of different kinds of devices together are left out: no single roof applies to them.
report-roofline-description = Roofline with { $number } points between { $low } and { $high } flop per byte; the highest is { $best }.

report-axis-first = the first value
report-axis-intro = The same cases, run in turn. A ratio compares the medians of the launches with those of { $against }: above 1 is better, below 1 worse.
report-axis-against = Compared with
report-axis-reference = Its value
report-axis-caption = Headline figures compared with { $against }, with 95% intervals where there are several launches; “All cases” is the range over all cases of the benchmark
report-axis-meaningless = { $value }: { $why }; it is not drawn.
report-axis-cautions = Caution
report-axis-title = { $title }, compared with { $against }
report-axis-far = { $title }: the largest differences
report-axis-x =
    { $scale ->
        [log] ratio to { $against }, log scale: right of 1 is better
       *[linear] ratio to { $against }: right of 1 is better
    }
report-axis-chart-caption = Headline figure of each benchmark compared with { $against }; the lines are 95% intervals, where there are several launches.
report-axis-description =
    { $number ->
        [one] { $title }: 1 figure with { $values }. The lowest is { $worst } times { $against }, { $of } with { $series }.
       *[other] { $title }: { $number } figures with { $values }. The lowest is { $worst } times { $against }, { $of } with { $series }.
    }

report-reproduction = How to reproduce each figure
report-reproduction-each = Each of the { $number } cases
report-command = Command
report-no-command = The command was not recorded.
report-from-to = { $start } to { $end }
report-conditions = Seen during the run
report-environment = Environment
report-version = { $version }, commit { $commit }
report-imported = Imported from
report-binding = Binding read back
report-programs = Programs
report-storage = Storage
report-hosts = Hosts
report-host-ranks = { $hosts }: ranks { $ranks }
report-ranks-at = ranks { $ranks }: { $place }
report-threads-together = all { $number } threads on { $processors }
report-thread-on = thread { $thread } on { $processors }
report-memory-policy = memory policy { $policy }
report-pages = { $pages } pages
report-devices = devices { $devices }

report-setting-backend = backend
report-setting-placement = placement
report-setting-hosts = hosts
report-setting-ranks = ranks
report-setting-threads = threads
report-setting-groups = groups
report-setting-devices = devices
report-setting-default = default
report-setting-switch =
    { $on ->
        [yes] yes
       *[no] no
    }
report-condition-load = load before the run
report-condition-others = processor time of other processes
report-condition-steal = processor time taken by the hypervisor
report-condition-throttled = stopped by a cgroup quota
report-condition-quota-before = cgroup quota before, in processors
report-condition-quota-after = cgroup quota afterwards, in processors
report-condition-clock = clock
report-condition-clock-host = the host with the lowest clock
report-condition-clock-host-fastest = the host with the highest clock
report-condition-clock-fastest = clock of that host
report-condition-huge-pages = data on huge pages
report-condition-switches = involuntary context switches
report-condition-exchange = time to pass a cache line between the outermost processors
report-condition-exchange-before = the same before the measurement
report-condition-exchange-processors = these processors
report-condition-exchange-host = the host where they are farthest apart
report-condition-exchange-nearest = the same on the host where they are nearest
report-condition-exchange-host-nearest = the host where they are nearest
report-condition-thread-rates = Rates of the first rank's threads, by which loops are shared
report-condition-working-set = working set
report-condition-run-delay = time that threads waited for a processor
report-condition-timed = timed part
report-condition-setup = set-up
report-condition-stolen = time taken by the hypervisor
report-condition-network = network interface
report-condition-network-bytes = sent and received over the network
report-condition-link-rate = rate of the link
report-condition-sum-of-rates = sum of the ranks' rates, measured beforehand
report-condition-folders-left = folders left behind
report-condition-footprint = memory footprint
report-condition-device-footprint = memory footprint on devices
report-condition-device = device
report-condition-platform = platform of devices
report-condition-l2 = L2 cache of the device
report-condition-method = method
report-condition-tick = clock tick
report-condition-headline-size = size of the headline figure
report-condition-largest-size = largest size

report-side-figures = Figures side by side
report-side-machines = Machines side by side
report-side-nothing = No run has a figure.
report-side-caption = Medians of the headline cases, and their shares of the limit. “×” compares a figure with that of the first run that has it. `banzuke compare` tests whether a difference is real
report-side-ratio = { $ratio } ×
report-side-unlike = { $what } differs: { $each }.
report-side-has = { $value } in { $run }
report-side-same-machine = Both descriptions of the machine are the same.
report-side-differs = What differs
report-side-alike = The same in all runs
report-side-limit-title = Share of the limit
report-side-limit-axis = % of limit
report-side-limit-caption = Each headline figure as a share of the best value that its own machine's ceilings allow.
report-side-ratio-title = Compared with { $run }
report-side-ratio-axis = ratio, log scale
report-side-ratio-caption = Each headline figure compared with that of { $run }; above 1 is better. Times are compared where the work is the same.
report-side-description = { $title }: { $number } figures of { $runs }.
report-side-first = The first { $shown } of { $all } are drawn.
report-figure-of = { $title } ({ $kind })
report-figure-on-devices = { $title }, { $kind ->
    [none] { $devices ->
        [one] { $devices } device
       *[other] { $devices } devices
    }
   *[other] { $devices } × { $kind }
}
report-median-launch = Where a case has several launches, all but single figures are shown for the launch with the median headline figure.
report-orders = Where the ranks were
report-orders-intro = What the model predicts for each order on the network of { $file }: how long its messages take, which link takes longest, and what the links carry. The figures above are measured.
report-orders-undrawn = The orders are not drawn: { $why }
