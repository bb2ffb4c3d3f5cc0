# The reproducibility grade of a published run.

grade-commit = the sources' commit is known, and they were not modified
grade-commit-mend = Build from an unmodified Git checkout with `make setup`, and measure again
grade-compiler = the compiler and its flags are known
grade-compiler-mend = Build again with `make setup`, which records both, and measure again
grade-libraries = the version of every library is known
grade-libraries-mend = Choose a library that has one: `banzuke machine` lists them
grade-launches = { $least } launches or more of each headline
grade-launches-mend = `banzuke run { $names } --repeat { $least }`
grade-undisturbed = other processes took less than { $others } of the processors' time, the hypervisor less than { $hypervisor }
grade-undisturbed-mend = Measure on an idle machine, or `banzuke run { $names } --environment isolated`
grade-binding = the processor of each thread was recorded
grade-binding-mend = Let Banzuke place the threads (unset OMP_PROC_BIND and OMP_PLACES): `banzuke run { $names }`
grade-state = the clock, or the distance of the processors, was recorded
grade-state-mend = Measure with Banzuke itself: `banzuke run { $names }`
grade-checks = every launch passed its checks
grade-checks-mend = See why with `banzuke report`, then `banzuke run { $names }`
grade-limits = limits were measured on the same machine
grade-limits-mend = `banzuke evaluate` measures both

edition-launches = { $least } verified launches or more
edition-checks = every launch passed its checks
edition-undisturbed = in every launch other processes took less than { $others } of the processors' time, and the hypervisor less than { $hypervisor }
edition-usual = started as usual: no container or virtual machine, no neighbours, no other build, library or settings of the system
edition-whole = all cores or all devices of the nodes were used
edition-memory = the data were too large for the caches
edition-class = the problem is of one of the size classes of edition { $edition }
edition-seconds = each launch was timed for { $least } or longer
