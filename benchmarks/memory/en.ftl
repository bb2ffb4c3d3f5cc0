memory-levels = Caches by latency
memory-levels-caption = The largest data of a thread that still has the latency of a cache, and the thread's part of each cache as the processor tells it
memory-levels-method = Caches by latency: sizes whose latencies differ by less than a factor of { $alike } and that span a factor of { $width } are in one cache. It is named after the size that the processor tells, and differs from it from a factor of { $apart } on, because there are two sizes per octave
memory-numa = { $figure ->
    [numa_latency] Latency between NUMA nodes
   *[numa_bandwidth] Bandwidth between NUMA nodes
}
memory-numa-drawn = { $benchmark }: { $figure ->
    [numa_latency] latency between NUMA nodes
   *[numa_bandwidth] bandwidth between NUMA nodes
}
memory-numa-range = From { $low } to { $high }.
memory-numa-far = Median of a node's own memory: { $own }; of another node's: { $other }.
memory-numa-processors = processors of node
memory-numa-memory = memory of node
memory-numa-slow = the own memory of NUMA node { $nodes } is up to { $ratio } times slower than that of the best node: compare the memory modules of the nodes
memory-numa-method = NUMA nodes: the processors of one node at a time, with data in the memory of one node; latency by one processor, bandwidth by all of the node. A node's own memory is called slow from { $ratio } times that of the best node on
memory-case = Case
memory-level = Level
memory-told = Processor tells
memory-found = Latency shows
memory-level-latency = Load latency
memory-cache = { $level ->
    [none] not told
   *[other] L{ $level }
}
memory-memory = Memory
memory-levels-apart = the latencies show other caches than the processor tells: { $levels }
memory-level-apart = L{ $level } { $seen ->
    [yes] up to { $found } instead of { $told } a thread
   *[no] not at all, of { $told } a thread
}
