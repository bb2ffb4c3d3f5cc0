# What its model refuses and remarks.
collectives-blocking = there is a model only of the blocking operations { $names }
collectives-size = no size of { $size } was measured
collectives-cores = { $ranks } ranks are more than the { $cores } cores of a node
collectives-alone = one rank has nobody to exchange with
