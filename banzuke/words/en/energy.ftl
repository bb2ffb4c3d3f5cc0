# Power and energy of cases.
energy-title = Energy
energy-of-timed-parts = Energy of the timed parts, medians of the launches
energy-case = Case
energy-joule = Energy
energy-timed = Timed
energy-mean-power = Mean power
energy-above-idle = Above idle
energy-per-watt = Per watt
energy-covered = Measured
energy-covers = { $what } ({ $how })
energy-source = { $name }, { $rate }
energy-package = processors
energy-dram = memory
energy-psys = board
energy-node = whole node
energy-device = accelerators

energy-not-measured = Energy: not measured: { $why }.
energy-no-sensor = no sensor of power can be read
energy-no-timed-parts = the program does not say when its timed parts were
energy-too-short = the timed part is too short for the sensors' rate
energy-unusable = no sensor could be used
energy-some-hosts = not all hosts have a usable sensor of the same scope

energy-refused = The sensor { $sensor } of { $hosts } was not used: { $why }.
energy-stands-still = its value does not change
energy-goes-back = its counter goes back
energy-impossible = it shows a power that the node's supplies cannot give
energy-stopped = its readings end before the timed part does
energy-gap = readings are missing in the timed part
energy-seldom = it is read too rarely for the length of the timed part
energy-clocks = The hosts' clocks differ by up to { $difference }; readings were corrected for it.
energy-uncertainty = Up to { $share } of the energy is uncertain because readings do not begin and end with the timed parts; the sensors' own error comes on top.
energy-idle = Idle power before the first case, by the same sensors: { $watt }.
energy-no-idle = Idle power: not measured: the machine was not quiet before the first case, or the sensors gave too few readings.
energy-accounted = According to Slurm's accounting ({ $plugin }) step { $step }, a whole launch with set-up and checks, took { $joule } in { $seconds }: { $watt } on average.
energy-level =
    { $level ->
        [0] By the EEHPC working group's methodology (2.0) the measurement has no level. Level { $next } is not met: { $lacking }.
       *[other] By the EEHPC working group's methodology (2.0) the measurement meets level { $level }. Level { $next } is not met: { $lacking }.
    }
energy-level-scope = the sensors cover only parts of a node, behind its power supplies
energy-level-time = the timed parts are shorter than { $least } together
energy-level-rate = there are fewer readings than one a second
energy-level-averages = there are fewer than { $least } readings in the timed parts
energy-level-nodes = the machine's number of nodes is unknown
energy-level-fraction = what was measured is less than the largest of { $share } of { $all } nodes, { $power } and { $nodes } nodes
energy-level-network = the power of the interconnect was not measured
energy-level-integrated = the sensors give powers at moments, not energy that is integrated without gaps
energy-level-accuracy = the accuracy of the meters is unknown

report-method-energy = The energy of a case is that of its timed parts alone. Between two readings of a sensor its power is taken as constant. No power is counted twice: where sensors overlap, the wider one counts, and an energy counter rather than power readings. A sensor whose value does not change, goes back, or shows a power that the supplies cannot give is not used.
report-method-no-energy = Energy: not measured: { $why }.
