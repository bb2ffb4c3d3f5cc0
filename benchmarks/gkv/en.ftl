gkv-kernel = Kernel
gkv-as-written = default
gkv-tuned = opt
gkv-fft = fft, { $ranks } ranks x { $threads } threads
gkv-over = Time of { $a } / { $b }
gkv-beside-caption = Time of one run of each kernel that both solved with the same parameters, each in its fastest layout and with its fastest settings; of kernel fft also the parts that the Flow report gives.
gkv-ratio = Time of opt / default
gkv-variants-caption = Time of one run of each kernel, written straightforwardly (default) and tuned (opt), on the same cores. The opt of diff45 is our own: the Flow report has none. That of fft is the fastest of the MPI library's settings that were tried, given below the kernel.
