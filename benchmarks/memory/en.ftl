memory-levels = Caches by latency
memory-levels-caption = The largest data of a thread that still has the latency of a cache, and the thread's part of each cache as the processor tells it
memory-levels-method = Caches by latency: sizes whose latencies differ by less than a factor of { $alike } and that span a factor of { $width } are in one cache. It is named after the size that the processor tells, and differs from it from a factor of { $apart } on, because there are two sizes per octave
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
