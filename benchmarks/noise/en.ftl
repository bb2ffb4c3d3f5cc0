# Causes: what causes noise, the evidence, and what confirms or removes it.

noise-cause-clock = A clock that changes, or a busy neighbour on the same core: this is not noise of the operating system
    .evidence = All chunks of a quantum took longer by the same factor, which is { $share } of what looks like noise{ $resolution ->
        [none] {""}
       *[other] {" "}(resolved down to { $resolution })
    }
    .confirm = Fix the clock (cpupower frequency-set -g performance, no turbo) and leave the core's other hardware thread idle
noise-cause-hypervisor = Processor time that the hypervisor{ $hypervisor ->
        [none] {""}
       *[other] {" "}({ $hypervisor })
    } gave to others
    .evidence = { $stolen } stolen, against { $noise } of noise on all processors
    .confirm = Ask for dedicated processors; nothing inside the guest removes it
noise-cause-processes = Other processes on the same processors{ $started ->
        [0] {""}
       *[other] , { $started } of them started by --neighbours
    }
    .evidence = The threads waited { $waited } for their processors{ $switches ->
        [0] {""}
        [one] , preempted once
       *[other] , preempted { $switches } times
    }; the noise is { $noise }
    .confirm = { $traced ->
        [yes] Keep them on other processors: --environment isolated
       *[no] Name them with --set trace=on; keep them on other processors: --environment isolated
    }
noise-cause-traced = { $who } ({ $kind })
    .evidence = { $seconds } in { $events ->
        [one] one traced event
       *[other] { $events } traced events
    }{ $longest ->
        [none] {""}
       *[other] , the longest { $longest }
    }: { $share } of the noise
    .confirm = { $kind ->
        [process] Bind it to processors of its own, as `banzuke isolate` does
        [interrupt] Bind it to other processors (/proc/irq/*/smp_affinity), as `banzuke isolate` does
        [softirq] Bind the interrupts and workqueues that raise it to other processors, as `banzuke isolate` does
       *[other] Find out what it does
    }
noise-cause-tick = The kernel's timer tick
    .evidence = { $counted } timer interrupts per second on each processor; { $cost ->
        [none] how long each takes is unknown
       *[other] { $rate } of them take at least { $cost } each: { $share } of the noise
    }
    .confirm = The kernel parameters isolcpus, nohz_full and rcu_nocbs stop most of them on these processors
noise-cause-interrupts = Interrupts from devices and from other processors
    .evidence = Per second on each processor: { $rates }; how long each takes is unknown
    .confirm = Trace them (--set trace=on); bind those of devices to other processors, as `banzuke isolate` does
noise-cause-processors = Noisier than the others: { $processors }
    .evidence = { $share } of the time of { $first }, against { $usual } of the others' ({ $ratio ->
        [none] none
       *[other] { $ratio }x
    }); its longest noise is { $longest }
    .confirm = See what is bound there: interrupts (/proc/interrupts), daemons; leave such processors to the system (--os-cores)
noise-interrupts = { $name } { $rate }
noise-processor = processor { $cpu }{ $host ->
        [none] {""}
       *[other] {" "}of { $host }
    }
noise-remark = { $share } of the time is noise{ $beyond ->
        [none] {""}
       *[other] , { $beyond } without changes of the clock
    }{ $noisiest ->
        [none] {""}
       *[other] ; noisiest: { $noisiest }
    }

# Tables.

noise-group = { $kind ->
        [fwq] Fixed work quanta
       *[ftq] Fixed time quanta
    }{ $settings ->
        [none] {""}
       *[other] , { $settings }
    }
noise-caption = Noise of all quanta of all processors: { $kind ->
        [fwq] how much longer a quantum took than the shortest
       *[ftq] work by which it fell short of the most, as time
    }
noise-environment = Environment
noise-noise = Noise
noise-longest = Longest
noise-mean = Mean
noise-share = of the time
noise-percentile = { $percentile ->
        [median] Median
       *[other] { $percentile }
    }
noise-above = > { $length }
noise-quanta = Quanta
noise-all = all
noise-beyond-clock = clock excluded
noise-facts = { $quanta } quanta of { $quantum } on { $processors ->
        [one] one processor
       *[other] each of { $processors } processors
    }{ $launches ->
        [one] {""}
       *[other] , the median of { $launches } launches
    }.{ $resolution ->
        [none] {""}
       *[other] {" "}Noise below { $resolution } may be either the clock's or the system's.
    }{ $missing ->
        [0] {""}
       *[other] {" "}The record has every quantum of the { $kept } processors with the longest noise; the counts are of all.
    }
noise-facts-of = { $environments }: { $facts }
noise-clock = { $method ->
        [chunks] Each quantum is timed in 64 chunks: what lengthens neighbouring chunks alike counts as a change of the clock.
        [counter] The clock's part was separated by counting the processor's cycles in user mode.
       *[other] The clock's part was separated.
    }
noise-left-out = { $environments } left out: emulated in software, so its times mean nothing.
noise-peaks = Peaks of the spectrum. “Takes”: for a timer tick the least, for others the mean, if they are short and at even intervals
noise-frequency = Frequency
noise-amplitude = Amplitude
noise-takes = Takes
noise-multiples = Multiples
noise-cause = Cause
noise-peak = { $rate ->
        [0] unknown
       *[other] the timer tick, { $rate } per second
    }
noise-noisiest = The noisiest processors
noise-processor-column = Processor
noise-all-processors = All processors as CSV, values in full

# Charts.

noise-chart-title = { $benchmark }, { $group }: { $what }
noise-description = { $title }: { $shows }.
noise-log-axis = { $quantity }, log scale
noise-longest-in = { $length } in { $environment }
noise-quanta-title = noise of each quantum
noise-longest-shows = the longest is { $longest }
noise-quanta-caption = Each quantum lies in the band or is a point; the farthest are points.{ $floor ->
        [none] {""}
       *[other] {" "}Logarithmic axis; what is below { $floor } is drawn there.
    }{ $quantum ->
        [none] {""}
       *[other] {" "}Undisturbed, a quantum takes { $quantum }.
    }
noise-in-order = from the first quantum to the last
noise-number = number of the quantum
noise-quantum = Quantum
noise-distribution-title = distribution
noise-distribution-caption = Fraction of the quanta with at least this much noise. A line ends at the longest noise that was measured; anything rarer was not seen.
noise-length-axis = noise, { $unit }
noise-exceeding-axis = % of quanta with at least this noise
noise-length = Noise
noise-exceeding = Quanta with as much or more
noise-longest-title = longest noise of each processor
noise-share-title = time lost on each processor
noise-share-axis = % of the time
noise-processors-shows = from { $least } to { $most }, { $where }{ $environment ->
        [none] {""}
       *[other] {" "}in { $environment }
    }
noise-processors-caption = Each point is a processor.{ $missing ->
        [0] {""}
        [one] {" "}One without noise is not drawn.
       *[other] {" "}{ $missing } without noise are not drawn.
    }
noise-block = { $processor }{ $processors ->
        [one] {""}
       *[other] , the worst of { $processors }
    }
noise-map-title = longest noise of each processor{ $environment ->
        [none] {""}
       *[other] , { $environment }
    }
noise-map-caption = The stronger the colour, the longer the noise.{ $block ->
        [one] {""}
       *[other] {" "}A square is a block of up to { $block } processors and shows their worst figures.
    }
noise-processor-of-host = processor of the host
noise-host = host
noise-spectrum-title = spectrum{ $environment ->
        [none] {""}
       *[other] , { $environment }
    }
noise-work-axis = % of the work
noise-peak-at = { $share } at { $frequency }
noise-spectrum-shows = { $peaks ->
        [none] no peaks
       *[other] { $peaks }
    }
noise-spectrum-caption = Spectrum of the work missing in each interval: { $peaks ->
        [0] no peaks
        [one] one peak
       *[other] { $peaks } peaks
    }. What comes more often than { $highest } appears at a lower frequency.

# How it is judged.

noise-method = Noise of a fixed work quantum is how much longer it took than the shortest of its processor; of a fixed time, the work by which it fell short of the most, as time. The clock's part is what lengthened all chunks of a quantum alike: a change of the clock, or a neighbour on the same core. A cause is named if it makes up at least { $least } of the noise by the kernel's own counters over the same time. A spectrum is of the { $processors } noisiest processors; a peak stands { $high } times above its surroundings, and what it takes holds for short events at even intervals. For a timer tick it is the least that is lost repeatedly where one comes, on the quietest processor: a process that runs after a tick is not the tick. Charts of quanta show a band and, in each column, up to { $points } points above it; the record has all quanta.
