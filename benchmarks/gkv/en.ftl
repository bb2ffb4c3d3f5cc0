gkv-kernel = Kernel
gkv-as-written = default
gkv-tuned = opt
gkv-ratio = Time of opt / default
gkv-variants-caption = Time of a run of each kernel as a physicist writes it and tuned, on the same cores. The opt of diff45 is our own: the Flow report has none.
