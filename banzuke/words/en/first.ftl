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
site-assistant-cores = assistant cores: { $cores }
site-usable-cores = { $usable } of { $cores } cores allotted to this job
site-numa = { $nodes } NUMA nodes
site-peak = { $rate } theoretical
site-measured = { $rate } measured
site-more = and { $more } more
