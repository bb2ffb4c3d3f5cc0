# What several models refuse and remark; each model's own is in its benchmark's folder.
unpredicted-why = { $problem } ({ $why })
unpredicted-benchmark = { $name } is not predicted
unpredicted-no-figure = no figure follows from the description of { $name }
unpredicted-not-finite = what follows is { $value }
unpredicted-zero = the description of { $name } says { $key } = 0
unpredicted-exchange = { $nodes } nodes exchange messages
unpredicted-has-nodes = { $name } has { $nodes } nodes, not { $asked }
unpredicted-has-cores = a node of { $name } has { $cores } cores, not { $asked }
unpredicted-they-take = they take { $taken } of { $memory }
unpredicted-nodes = { $benchmark } has no figure on { $nodes } nodes of { $name }
unpredicted-no-whole = { $setting } is no whole number of { $least } or more
unpredicted-not-positive = { $setting } is no positive number
unpredicted-unknown = { $setting } is unknown

unpredicted-few-public = Of the family { $family } figures of only { $machines ->
    [one] one machine
   *[other] { $machines } machines
} are public: the interval is that of rare families
unpredicted-unknown-family = No family follows from the names of the { $kind ->
    [devices] devices
   *[processors] processors
}, and no group from their numbers: what is assumed of everybody is taken, and the interval is wider still. Give { $kind ->
    [devices] node.devices.0.vendor
   *[processors] model, or cores, nominal_hz and peaks."flops.fp64" of node.processors.0
}
unpredicted-no-public = No public figure is known of the family { $family }: the share that similar { $kind ->
    [devices] devices
   *[processors] processors
} sustain is taken, and the interval is wider
unpredicted-no-public-name = No public figure is known of { $kind ->
    [devices] devices
   *[processors] processors
} with this name: the share that similar { $kind ->
    [devices] devices
   *[processors] processors
} sustain is taken, and the interval is wider
unpredicted-taken-for = { $name } is described with { $rate }, neither what vector nor what matrix units of the family { $family } are known to have: it is taken for what DGEMM can use. Give node.devices.0.peaks."flops.fp64_matrix"

unpredicted-no-probability = The interval has no stated probability: { $why }
unpredicted-and = { $before }; { $part }
unpredicted-unlike-nodes = no public figure is of unlike nodes
unpredicted-small = no public figure is of boards, laptops, desktops and workstations
unpredicted-scaled = the description is scaled by more than { $factor }
unpredicted-contradiction = the description contradicts itself
