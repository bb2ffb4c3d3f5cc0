hpl-dealt = columns of the grid have { $shares } of the matrix, because their DGEMM rates are { $rates } with all ranks running at once; HPL reaches { $reached } of the sum over all ranks, { $sum }
hpl-dealt-as-given = columns of the grid have { $shares } of the matrix, as asked for; their DGEMM rates are { $rates } with all ranks running at once; HPL reaches { $reached } of the sum over all ranks, { $sum }
hpl-dealt-equally = columns of the grid have equal parts of the matrix; their DGEMM rates are { $rates } with all ranks running at once; HPL reaches { $reached } of the sum over all ranks, { $sum }
hpl-columns = How the columns of the grid share the matrix
hpl-processors = processors { $cpus }
hpl-column = column { $number }
hpl-case = Case
hpl-grid-column = Column of the grid
hpl-products = DGEMM rate
hpl-columns-of-matrix = Share of the matrix
hpl-computed = computed
hpl-moved = moved data
hpl-waited = waited
hpl-columns-caption = For each column of the grid: its DGEMM rate, measured before the run with all ranks at once; its share of the matrix's columns; and the time that the main threads of its ranks spent computing, moving rows and panels in memory, and waiting for messages and other threads (means over its ranks).
hpl-work = What each column of the grid did
hpl-work-drawn = The column that waits most waits for { $most } of its time.
hpl-work-caption = Time of the main threads, as means over the ranks of a column. { $more ->
    [0] { "" }
   *[other] { $more } further bars are in the table.
  }
hpl-bar = { $case }, { $column }
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
