hpl-dealt = columns of the grid have { $shares } of the matrix, because their ranks multiply at { $rates } when all do at once; HPL reaches { $reached } of the ranks' sum, { $sum }
hpl-dealt-as-given = columns of the grid have { $shares } of the matrix, as was asked for, and their ranks multiply at { $rates } when all do at once; HPL reaches { $reached } of the ranks' sum, { $sum }
hpl-dealt-equally = columns of the grid have equal parts of the matrix, and their ranks multiply at { $rates } when all do at once; HPL reaches { $reached } of the ranks' sum, { $sum }
hpl-columns = How the columns of the grid share the matrix
hpl-processors = processors { $cpus }
hpl-column = column { $number }
hpl-case = Case
hpl-grid-column = Column of the grid
hpl-products = Products
hpl-columns-of-matrix = Of the matrix
hpl-computed = computed
hpl-moved = moved data
hpl-waited = waited
hpl-columns-caption = What the ranks of each column of the grid multiply when all do at once, before the run; the part of the matrix's columns that it has; and the time of its ranks' main threads, as means: computing, moving rows and panels in memory, and waiting for messages and other threads.
hpl-work = What each column of the grid did
hpl-work-drawn = The column that waits most waits for { $most } of its time.
hpl-work-caption = Time of the main threads, as means over the ranks of a column. { $more ->
    [0] { "" }
   *[other] { $more } further bars are in the table.
  }
hpl-bar = { $case }, { $column }
hpl-ranks-of-kind = { $ranks } on a node of { $kind } ({ $rate } each)
hpl-ranks-of-kinds = Ranks are { $kinds }: more on faster nodes, because each waits for the slowest; at that pace all have { $pace } of the sum of the nodes' DGEMM rates, { $sum }
hpl-idle-nodes = { $nodes ->
    [one] 1 node
   *[other] { $nodes } nodes
} of { $kind }
hpl-grid-how = { $how ->
    [given] as asked for
    [columns] near a square, with the ranks of each node in one column
   *[square] near a square
}
hpl-grid-filled = The ranks fill a grid of { $p } x { $q } = { $used }, { $how }
hpl-grid-filled-by-some = { $used } of { $ranks } ranks fill a grid of { $p } x { $q }, { $how }; left out for it: { $idle }
hpl-slower-ranks = its ranks multiply at { $rate } and those of the others at { $others } or more
hpl-less-memory = its ranks have { $bytes } of memory and those of the others { $others } or more
hpl-more-ranks = faster nodes then need up to { $ranks } ranks, each of which has fewer cores and less memory
