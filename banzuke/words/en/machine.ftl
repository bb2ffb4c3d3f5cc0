# The specification of a machine.
report-machine = Machine
report-item = Item
report-value = Value
report-note = Note
report-unknown = unknown
report-machine-unknown = Not known: { $items }.

report-machine-site = Site
report-machine-part = { $name }: { $what }
report-machine-system = System
report-machine-partition = Partition
report-machine-processor = Processor
report-machine-memory = Memory and caches
report-machine-peaks = Theoretical peaks of a node
report-machine-attached = Accelerators and network
report-machine-allotted = Allocated to this job
report-machine-storage = Storage
report-machine-links = Links
report-machine-software = Software
report-machine-kernel-settings = Kernel settings

report-machine-name = Name
report-machine-title = Title
report-machine-institution = Institution
report-machine-kernel = Operating system kernel
report-machine-fingerprint = Fingerprint
report-machine-fingerprint-note = hash of the hardware and the number of usable cores; unchanged by a reboot
report-machine-read-from = Topology read from

report-machine-nodes = Nodes
report-machine-interconnect = Interconnect
report-machine-topology = Network topology
report-machine-hosts = Hosts
report-machine-batch = Batch system
report-machine-batch-name =
    { $system ->
        [slurm] Slurm
        [gridengine] Grid Engine
        [pbs] PBS
        [pjm] PJM
       *[flux] Flux
    }
report-machine-queue = queue { $name }
report-machine-longest = jobs of at most { $time }
report-machine-launcher = MPI launcher
report-machine-power-sensor = Power sensor
report-machine-hypervisor = Hypervisor
report-machine-none-seen = none detected
report-machine-file-systems = File systems

report-machine-model = Model
report-machine-architecture = Architecture
report-machine-microarchitecture = Microarchitecture
report-machine-sockets = Sockets
report-machine-cores = Cores
report-machine-kind = Cores: { $kind }
report-machine-kind-logical = { $number ->
    [one] 1 logical processor
   *[other] { $number } logical processors
}
report-machine-kind-nominal = { $clock } nominal
report-machine-kind-maximum = at most { $clock }
report-machine-kind-fma = { $number ->
    [one] 1 FMA unit
   *[other] { $number } FMA units
} { $bits ->
    [0] per core
   *[other] of { $bits } bits
}
report-machine-kind-fma-measured = { $rate } per cycle measured
report-machine-kind-cache =
    { $kind ->
        [data] L{ $level } data
        [instruction] L{ $level } instruction
       *[unified] L{ $level }
    } { $number ->
        [one] { $size }
       *[other] { $size } × { $number }
    }
report-machine-kind-peak = { $peak } double precision
report-machine-kind-rate = Measured FMA rate of one core: { $kind }
report-machine-kind-scalar = { $clock } integer, alone
report-machine-kind-alone = { $clock } vector FMA, alone
report-machine-kind-all = { $clock } vector FMA, with all cores
report-machine-assistant-cores = Assistant cores
report-machine-logical = Logical processors
report-machine-whole-node = whole node
report-machine-smt = SMT
report-machine-smt-threads =
    { $number ->
        [one] off or absent
       *[other] { $number } hardware threads per core
    }
report-machine-nominal-clock = Nominal clock
report-machine-maximum-clock = Maximum clock
report-machine-simd = SIMD extension
report-machine-fma = Vector FMA units per core
report-machine-fma-units =
    { $bits ->
        [0] { $number }
       *[other] { $number } × { $bits } bits
    }
report-machine-fma-measured = { $rate } FMA per cycle measured

report-machine-capacity = Capacity
report-machine-capacity-jobs = Capacity for jobs
report-machine-memory-kind = Memory type
report-machine-numa-nodes = NUMA nodes
report-machine-numa-node = NUMA node { $number }
report-machine-memory-alone =
    { $kind ->
        [unknown] without processors, used by --memory bind:{ $number }
       *[known] { $kind } without processors, used by --memory bind:{ $number }
    }
report-machine-memory-side = Memory-side cache of NUMA node { $number }
report-machine-processors = processors { $names }
report-machine-cache =
    { $kind ->
        [data] L{ $level } data cache
        [instruction] L{ $level } instruction cache
       *[unified] L{ $level } cache
    }
report-machine-cache-size =
    { $number ->
        [one] { $size }
       *[other] { $size } × { $number }
    }
report-machine-cache-shared =
    { $processors ->
        [one] private
       *[other] shared by { $processors } logical processors
    }

report-peak-fp64 = Theoretical peak, double precision
report-peak-fp32 = Theoretical peak, single precision
report-peak-fp16 = Theoretical peak, half precision
report-peak-fp64-matrix = Theoretical peak, FP64 matrix units
report-peak-tf32-matrix = Theoretical peak, TF32 matrix units
report-peak-fp16-matrix = Theoretical peak, FP16 matrix units
report-peak-bf16-matrix = Theoretical peak, BF16 matrix units
report-peak-memory = Theoretical memory bandwidth
report-peak-other = Theoretical peak, { $name }
report-peak-of = { $peak }, { $whose }
report-peak-of-nodes = all nodes
report-peak-of-processors = processors
report-peak-of-device = each { $name }
report-peak-of-usable = usable cores
report-machine-balance = B/F ratio
report-machine-balance-note = bytes per flop, theoretical

report-machine-accelerator = Accelerator
report-machine-several =
    { $number ->
        [one] { $name }
       *[other] { $number } × { $name }
    }
report-machine-driver = driver { $version }{ $toolkit ->
    [none] {""}
   *[other] {" "}(CUDA up to { $toolkit })
}
report-machine-multiprocessors =
    { $number ->
        [one] 1 { $vendor ->
            [AMD] compute unit
           *[other] multiprocessor
        }
       *[other] { $number } { $vendor ->
            [AMD] compute units
           *[other] multiprocessors
        }
    }
report-machine-capability = { $vendor ->
    [AMD] { $version }
   *[other] compute capability { $version }
}
report-machine-device-clock = up to { $clock }
report-machine-device-memory-clock = memory up to { $clock }
report-machine-device-ecc = { $on ->
    [yes] ECC on
   *[no] ECC off
}
report-machine-devices = Accelerators of this job
report-machine-every-device = All accelerators
report-machine-device = Accelerator { $number }
report-machine-unusable-devices = Not usable
report-machine-device-slice = slice of { $device }
report-machine-device-adapter = nearest adapter { $name }
report-machine-device-link = PCI Express gen{ $generation } x{ $width } now{ $at ->
    [best] {""}
    [slower] {" "}(gen{ $best } x{ $widest } possible; an idle link slows down)
   *[narrower] {" "}(gen{ $best } x{ $widest } possible)
}
report-machine-device-newer-slot = the device could have gen{ $generation } in a newer slot
report-machine-device-limit = power limit { $limit }{ $default ->
    [same] {""}
   *[other] {" "}instead of { $default }
}
report-machine-device-clock-set = clock set to { $clock }
report-machine-device-errors = memory errors since the driver was loaded: { $corrected } corrected and { $uncorrected } uncorrected
report-machine-device-repair = { $state ->
    [pending] memory with errors waits for a reset to be replaced
   *[failed] memory with errors could not be replaced
}
report-machine-device-exclusive = compute mode exclusive: one process at a time
report-machine-device-passing = persistence mode off
report-machine-device-end = { $kind ->
    [device] { $name }
    [switch] a switch
    [processor] a processor
    [unknown] an unknown end
   *[other] { $name }, which the job may not use
}
report-machine-device-links =
    { $links ->
        [one] 1 { $vendor ->
            [AMD] XGMI link
           *[other] NVLink
        }
       *[other] { $links } { $vendor ->
            [AMD] XGMI links
           *[other] NVLinks
        }
    } to { $several ->
        [one] { $ends }
       *[other] each of { $ends }
    }
report-machine-device-way = to { $others } by { $way ->
    [nvlink] NVLink
    [xgmi] XGMI
    [switch] PCI Express switches
    [bridge] a PCI Express host bridge
    [node] several host bridges of a NUMA node
   *[system] the link between NUMA nodes
}
report-machine-device-access = { $can ->
    [yes] direct access to the memory of { $others }
   *[no] no direct access to the memory of { $others }
}
report-machine-device-others = all others
report-machine-network = Network { $name }
report-machine-at-numa = at NUMA node { $number }
report-machine-area = { $kind } on { $source }
report-machine-area-usable = { $size } usable
report-machine-area-best = theoretical bandwidth { $rate }
report-machine-area-free = { $size } free

report-machine-compiler = Compiler { $command }
report-machine-mpi = MPI { $launcher }
report-machine-mpi-library = MPI library { $library }
report-machine-messages = 8 B in { $latency }, 1 MiB at { $rate }, Allreduce of 8 B in { $allreduce } within a host
report-machine-of-builds = in use by the builds { $names }
report-machine-standard-mpi = has the standard ABI of MPI 5
report-machine-blas = BLAS library { $library }
report-machine-probed = DGEMM at { $rate } when probed

report-machine-allowed = Allowed processors
report-machine-usable =
    { $cores ->
        [one] 1 core
       *[other] { $cores } cores
    }, { $processors ->
        [one] 1 logical processor
       *[other] { $processors } logical processors
    }
report-machine-quota = a cgroup quota allows the time of { $number } processors
report-machine-allowed-memory = Allowed memory
report-machine-after-cgroups = after cgroup limits
report-machine-free-memory = Free memory at the start
report-machine-clock-scalar = Measured clock, one core, integer
report-machine-clock-vector = Measured clock, one core, vector FMA
report-machine-clock-all = Measured clock, all cores, vector FMA
report-machine-slowest-core = slowest core
report-machine-peak-core = Theoretical peak per core
report-machine-over-cores =
    over { $number ->
        [one] 1 usable core
       *[other] { $number } usable cores
    }
report-machine-fma-rate = Measured FMA rate, registers only
report-machine-of-peak = { $share } of the theoretical peak

report-machine-placements = Placements of ranks
