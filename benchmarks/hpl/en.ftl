hpl-column = column { $number }
hpl-grid-column = Column of the grid
hpl-grid-columns = columns of the grid
hpl-matrix = the matrix
hpl-dgemm-rates = DGEMM rates
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
