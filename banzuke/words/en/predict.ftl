# What predicted time is spent on.

predict-on-latency = latency of messages
predict-on-spread = waiting for the slowest node
predict-on-link = interconnect
predict-on-host-link = transfers between host and device
predict-on-noise = operating-system noise
predict-on-cycles = work of the cores other than memory
predict-on-core = loops of one thread
predict-on-clients = clients of the storage
predict-undescribed = the description of { $of } gives no { $what ->
    [flop-rate] flop rate
    [flop-rate-of-its-processors] flop rate of its processors
    [memory-bandwidth-of-its-processors] memory bandwidth of its processors
    [memory-bandwidth-of-its-devices] memory bandwidth of its devices
    [bandwidth-of-the-interconnect] bandwidth of the interconnect
    [numbers-from-which-a-figure-follows] numbers from which a figure follows
   *[number-of-cores] number of cores
}
