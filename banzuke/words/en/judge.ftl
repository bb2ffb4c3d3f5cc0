# Which nodes of a fleet are slow, and what to do about them.

judge-action-none = nothing to do
judge-action-again = measure { $host } again alone; if it is slow again, take it out of service and call the vendor
judge-action-loaded = not judged: the load was { $load } before the screen: end the processes on { $host } and screen again
judge-action-disturbed = not judged: while { $host } was measured, other processes took { $others } of its processors' time and the hypervisor { $hypervisor }: end what runs there and screen again
judge-disturbed = other processes took { $others } of the processors' time during the measurement, and the hypervisor { $hypervisor }
judge-action-state-again = not judged: { $host } seems slow, and there is no baseline for its state ({ $state }): screen it { $screens } times in this state
judge-action-compare = not judged: measure at least three nodes of this kind together, or learn a baseline from healthy nodes
judge-action-missing = some figures not judged: look in the run's log for why there is no { $figures }, and measure again
judge-action-state = { $state ->
    [failed] a program or a check failed
    [hung] the node did not end in time
   *[dead] nothing could be started on the node
}{ $why ->
    [none] {""}
   *[other] {" "}({ $why })
}: { $state ->
    [failed] read its log, and run the program alone on this node
    [hung] look for a hanging process, a file system that does not answer, and errors in the kernel's log
   *[dead] check that it is up and reachable, and that its daemon runs
}
judge-too-few = { $hosts }: fewer than { $fewest } nodes of this type, so comparing them cannot show which is slow. A baseline can: banzuke screen --learn
judge-left-out = { $host }: { $figures } left out, because { $why ->
    [time] there is no time left for it
   *[unknown] neither a baseline nor a theoretical peak is known that could judge it
}
judge-limits = { $hosts }: judged only by known theoretical peaks, so only nodes far slower are found; three screens of the node, or of others like it, show more
judge-own = { $hosts }: judged by earlier screens of the same nodes
judge-state-unlearnt = { $hosts }: there is no baseline for this state ({ $state }), so figures are compared with the baselines of others
judge-tail = { $hosts }: { $nodes } nodes do not show how much healthy values of a single figure vary; that is taken from all figures together. Measure a node named for one figure again before you take it out of service, or learn a baseline

# Causes: what the node says of itself that most nodes of its kind do not.

judge-device = the slowest device is { $device }
judge-place = the nodes of { $place } are all { $share } slower
judge-modules = { $modules } memory modules are detected, most nodes have { $usual }
judge-memory-speed = the memory runs at { $speed } MT/s, that of most nodes at { $usual } MT/s
judge-fraction = { $share } of the usual bandwidth is what { $fewer } of { $modules } memory modules would give
judge-memory-errors = the memory had errors that could not be corrected: { $errors }
judge-port = { $device }: the port's state is { $state } instead of { $usual }
judge-link = { $device }: { $quantity ->
    [width] PCIe link of { $value } lanes instead of { $usual }
    [speed] PCIe link at { $value } GT/s instead of { $usual } GT/s
   *[rate] link rate { $value } instead of { $usual }
}
judge-fewer-processors = limited to { $processors } processors by control groups or affinity, usually { $usual }
judge-power-cap = the power cap is { $cap }, usual is { $usual }
judge-throttled = the processor has been throttled { $times } times; the median of the nodes is { $usual }
judge-hot = { $at } °C, { $kelvin } K hotter than the median of the nodes
judge-clock = the clock's upper limit is { $clock }, usual is { $usual }
judge-load = the load was { $load } beforehand, { $usual ->
    [0] an idle node has 0
   *[other] usual is { $usual }
}: other processes run
judge-setting = { $setting } is { $value }, on most nodes { $usual }

judge-action-device = check errors, throttling and the link of { $device } on { $host } (banzuke-probe devices), and measure again
judge-action-place = look for what the nodes of { $place } share, such as cooling, power and a switch, before you take single nodes out of service
judge-action-modules = look in the BMC's inventory of { $host } for missing or disabled memory modules and for memory errors; reseat them, and measure again
judge-action-link = { $quantity ->
    [rate] check the cable and port of { $device } on { $host } and its error counters; exchange the cable, and measure again
   *[other] reseat { $device } on { $host } or its riser, look for PCIe errors in the kernel's log, and measure again
}
judge-action-processors = look for quotas and processor sets in the control groups of { $host } (cpu.max, cpuset.cpus), remove them, and measure again
judge-action-power-cap = set the power cap of { $host } as on the other nodes, in the BMC or the batch system, and measure again
judge-action-cooling = check fans, heat sinks and the coolant of { $host }, and measure again
judge-action-clock = compare the clock limits and the power settings in the BIOS of { $host } with those of another node, and measure again
judge-action-load = look for leftover processes on { $host }, end them, and measure again
judge-action-setting = set { $setting } on { $host } to { $usual } as on the other nodes, and measure again
