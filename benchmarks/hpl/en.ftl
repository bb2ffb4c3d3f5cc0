hpl-column = column { $number }
hpl-grid-column = Column of the grid
hpl-grid-columns = columns of the grid
hpl-matrix = the matrix
hpl-dgemm-rates = DGEMM rates
hpl-columns-corrected = the shares also follow what else takes the columns' time, mostly messages, in a trial of about 1 s before the clock started
hpl-ranks-of-kind = { $ranks } on { $kind } ({ $rate } each)
hpl-ranks-of-kinds = Ranks per node: { $kinds }. Faster nodes have more ranks, because every rank waits for the slowest. At the slowest rank's rate, all ranks together reach { $pace } of the sum of the nodes' DGEMM rates, { $sum }
hpl-idle-nodes = { $nodes ->
    [one] 1 node
   *[other] { $nodes } nodes
} of { $kind }
hpl-grid-how = { $how ->
    [given] as asked for
    [columns] nearly square, with the ranks of each node in one column
   *[square] nearly square
}
hpl-grid-filled = The { $used } ranks fill a grid of { $p } x { $q }, { $how }
hpl-grid-filled-by-some = { $used } of the { $ranks } ranks fill a grid of { $p } x { $q }, { $how }. Nodes left out to fill it exactly: { $idle }
hpl-slower-ranks = its ranks have a DGEMM rate of { $rate } each, those of the other nodes { $others } or more
hpl-less-memory = its ranks have { $bytes } of memory each, those of the other nodes { $others } or more
hpl-more-ranks = faster nodes then need up to { $ranks } ranks, each with fewer cores and less memory
hpl-left-out = Left out of the first case: nodes of { $kinds }. Where every rank waits for the slowest, all reach { $with_them } with them and { $without } without
hpl-hosts-left-out = { $hosts } of { $all } hosts are left out: all { $ranks } ranks would fill only a grid of { $rows } x { $columns }, far from a square. { $used } ranks fill { $p } x { $q }
hpl-grid-long = { $ranks } ranks fill only a grid of { $p } x { $q }, far from a square. { $hosts } hosts would fill { $rows } x { $columns }
hpl-place-pattern = HPL
hpl-place-assumed = In the sum of phases, panels go around the rows of the grid as a ring: each rank first receives, then sends. Swapped rows go down the columns. None of this is hidden behind computation. Ranks are numbered down the columns of the grid: start HPL with PMAP column-major (ours: --set order=column).

# What its model refuses and remarks.
hpl-no-devices = { $name } has no devices whose FP64 rate is described
hpl-node-holds = a node of { $name } does not hold { $ranks } ranks
hpl-node-cores = it has { $cores } cores
hpl-grid-ranks = the grid p x q = { $grid } has { $has } ranks, but there are { $ranks }
hpl-no-memory = the description of { $name } gives no memory of its { $owner ->
    [devices] devices
   *[nodes] nodes
}
hpl-no-matrix = no matrix fits in the memory of { $name }
hpl-to-be-filled = { $size } of all ranks are to be filled
hpl-large-matrix = { $n } does not fit in the memory of { $name }
hpl-memory = the matrix has { $matrix }, the memory of all ranks { $memory }
hpl-placement = placement is a rule for networks that are not described
hpl-no-whole = { $setting } is not a whole number between { $least } and { $most }
hpl-no-share = { $setting } is not a number between 0 and { $most }
hpl-unknown = { $setting } is not known
hpl-ranks-of-node = { $setting } is not understood
hpl-unfilled = the nodes cannot fill the grid p x q = { $grid }
hpl-fillable = it has { $needed ->
    [one] 1 rank
   *[other] { $needed } ranks
}; they have { $ranks }, with { $on_each } on a node of each kind, and may leave out { $share } of them, as whole nodes
hpl-small-matrix = public figures are of matrices that fill at least { $share } of the memory
hpl-ranks-left-out = { $number } of { $ranks } ranks are left out: no grid of all of them is near a square. Start fewer, or give p and q
hpl-streams = The device does not hold the matrix: { $columns } columns are in host memory and stream there in slabs, { $size } altogether
hpl-exceeds-devices = The matrix exceeds the devices' memory; the processors update what they can of the rest
hpl-exceeds-usual = The matrix needs more memory than the system usually leaves to a job
hpl-no-link = The link between host and devices is not described: nothing waits for it here
hpl-no-bandwidth = The bandwidth of the memory that holds the matrix is not described: nothing waits for it here
