gkv-kernel = Kernel
gkv-as-written = default
gkv-tuned = opt
gkv-ratio = Time of opt / default
gkv-variants-caption = Time of one run of each kernel, written straightforwardly (default) and tuned (opt), on the same cores. The opt of diff45 is our own: the Flow report has none.
