ior-area = Storage area
ior-hosts = Hosts
ior-clients = Clients
ior-client-size = Per client
ior-per-process-write = FPP write
ior-per-process-read = FPP read
ior-shared-write = SSF write
ior-shared-read = SSF read
ior-ratio-write = SSF / FPP write
ior-ratio-read = SSF / FPP read
ior-cached = { $rate } (cache)
ior-areas-caption = Bandwidth of each storage area with one file per process (FPP) and with a single shared file (SSF), and the ratio of the two. A client is a process
ior-from-cache = { $phases ->
        [both] the caches of the hosts took what was written and served what was read, so neither is a rate of the storage
        [write] the caches of the hosts took what was written, so the write bandwidth is not that of the storage
       *[read] the caches of the hosts served what was read, so the read bandwidth is not that of the storage
    }
ior-replaced = { $phases ->
        [both] neither the write nor the read bandwidth is credited
        [write] the write bandwidth is not credited
       *[read] the read bandwidth is not credited
    } to the storage, because other libraries serve the calls that would show it: { $calls }. Unset LD_PRELOAD and LD_AUDIT
ior-knee = { $area }, { $timed ->
        [write] writing
       *[read] reading
    }: { $clients ->
        [one] 1 client reaches
       *[other] { $clients } clients reach
    } { $rate }, { $share } of the best of up to { $most }.
ior-write-evidence = { $area }, writes: { $code ->
        [direct] past the page cache (O_DIRECT).
        [fsync] fsync is timed: the clock ran until the storage had the data.
        [beyond-memory] more than twice the memory of the hosts was written; no fsync.
        [in-memory] the file system is in memory, so this is no rate of storage.
        [replaced-calls] another library (LD_PRELOAD, LD_AUDIT) serves the calls on which this relies, such as fsync.
        [fsync-dropped] fsync does nothing on this file system (an overlay that is mounted volatile): a cache took it.
        [no-fsync] no fsync, and little enough for the memory of the hosts: a cache took it.
        [pages-present] pages of the files stayed in the memory of the hosts, which were asked to drop them: nothing shows that the storage has them.
       *[other] { $code }.
    }
ior-read-evidence = { $area }, reads: { $code ->
        [direct] past the page cache (O_DIRECT).
        [pages-absent] the pages of the files were shown to be absent from the memory of the hosts that read them.
        [beyond-memory] more than twice the memory of the hosts was read.
        [in-memory] the file system is in memory, so this is no rate of storage.
        [pages-present] pages of the files were in the memory of the hosts: a cache served them.
        [replaced-calls] another library (LD_PRELOAD, LD_AUDIT) serves the calls on which this relies, such as open.
        [no-evidence] nothing shows that no cache served them.
       *[other] { $code }.
    }
ior-below = { $kind ->
    [loop] { $device } without direct I/O over { $over }
    [own] { $device } from { $over }, which is this host
    [zfs] { $device } of ZFS, which has a cache of its own
   *[process] { $device }, which a process of this host may serve
}
ior-cached-below = { $hidden ->
        [yes] { $area }: a cache of the hosts lies below the file system ({ $below }), which read figures cannot tell from the storage.
       *[no] { $area }: a cache of the hosts lies below the file system ({ $below }).
    }

# What its model refuses and remarks.
ior-unbounded = What nodes can send to the storage is not described, and bounds nothing here
ior-fits-memory = What a node writes fits its memory: without fsync the caches make it faster
ior-no-storage = the description of { $name } gives no storage that its nodes reach
ior-no-bandwidth = the description of { $name } gives no bandwidth of the storage area '{ $area }'
ior-processes = { $processes } processes are more than { $nodes } nodes have cores
ior-cores = they have { $cores }
ior-pool = { $setting } is more than all servers
ior-unreached = { $setting } is not one that the nodes reach
