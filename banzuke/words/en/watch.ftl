# Lasting changes of watched figures.

watch-kind = Watched figures
watch-subtitle =
    { $figures ->
        [one] { $figures } figure
       *[other] { $figures } figures
    }, { $runs ->
        [one] { $runs } run
       *[other] { $runs } runs
    }
watch-answer = What has changed
watch-totals =
    Of { $figures ->
        [one] { $figures } figure
       *[other] { $figures } figures
    }, { $worse ->
        [0] none is
        [one] { $worse } is
       *[other] { $worse } are
    } newly worse and { $better ->
        [0] none
       *[other] { $better }
    } newly better.
watch-changed-ever =
    { $figures ->
        [one] { $figures } has a lasting change in its history.
       *[other] { $figures } have a lasting change in their history.
    }
watch-suspected-of =
    { $figures ->
        [one] { $figures } seems to have changed; the next run tells.
       *[other] { $figures } seem to have changed; the next run tells.
    }
watch-few-of =
    { $figures ->
        [one] { $figures } has too few runs: it takes { $least }, half an hour or more apart.
       *[other] { $figures } have too few runs: it takes { $least }, half an hour or more apart.
    }
watch-missing = { $figure } is missing from the newest run of its program, { $run }: { $why }
watch-changed = Figures that changed
watch-steady = Figures that did not change
watch-method = How changes are found
watch-figure-of = { $figure } ({ $case })
watch-figure = figure
watch-machine = machine
watch-runs = runs
watch-median = median since the last change
watch-finds = change that { $runs } runs show
watch-change = change
watch-suspected = Suspected: run again.
watch-too-few = Too few runs.
watch-since =
    { $new ->
        [yes] New:
       *[no] {""}
    } { $size } { $better ->
        [yes] better
       *[no] worse
    } since { $date }.
watch-suspected-why = The newest runs differ from those before them (“?” in the chart). A further run confirms or dismisses it.
watch-drawn = { $figure }: { $runs ->
    [one] { $runs } run
   *[other] { $runs } runs
} from { $low } to { $high }, { $beyond ->
    [0] all
   *[other] all but { $beyond }
} within the chart; { $changes ->
    [0] no lasting change
    [one] { $changes } lasting change
   *[other] { $changes } lasting changes
}.
watch-differs = what differs there
watch-before = before
watch-after = after
watch-around = Last run before: { $before }. First run after: { $since }. Confirmed by: { $confirmed }.
watch-nothing = nothing that is recorded
watch-more = { $number } more
watch-none = none
watch-unknown = unknown version
watch-kernel = kernel { $name }
watch-firmware = firmware
watch-microcode = microcode
watch-hypervisor = hypervisor
watch-library = { $name } { $path }
watch-driver = driver of { $device }
watch-banzuke = Banzuke
watch-hosts = hosts
watch-program = program's { $name }
watch-variable = { $name }
watch-parameter = { $name }
watch-method-text = Each chart shows the runs in their order, at equal distances, and the median between changes. A vertical line stands before the first run after a change, a large dot is the run that confirmed it. Runs beyond the range of the others are drawn pale at the edge. Runs less than half an hour apart count as one, launches that others disturbed do not count, and each state of the machine has its own chart. A change is { $share } or more, shown by { $recent } runs or more after at least { $reference } before, and confirmed by one more; it takes { $least } runs in all.
watch-case = { $benchmark }, { $layout }{ $more ->
    [none] {""}
   *[other] , { $more }
}{ $state ->
    [none] {""}
   *[other] , { $state }
}
