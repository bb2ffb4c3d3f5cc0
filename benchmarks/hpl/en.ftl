hpl-dealt = columns of the grid have { $shares } of the matrix, because their ranks multiply at { $rates } when all do at once; HPL reaches { $reached } of the ranks' sum, { $sum }
hpl-dealt-as-given = columns of the grid have { $shares } of the matrix, as requested, and their ranks multiply at { $rates } when all do at once; HPL reaches { $reached } of the ranks' sum, { $sum }
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
hpl-columns-caption = Rate at which the ranks of each column of the grid multiply when all do so at once, before the run; its part of the matrix's columns; and the mean time of its ranks' main threads: computing, moving rows and panels in memory, and waiting for messages and other threads.
hpl-work = What each column of the grid did
hpl-work-drawn = The column that waits most waits for { $most } of its time.
hpl-work-caption = Time of the main threads, as means over the ranks of a column. { $more ->
    [0] { "" }
   *[other] { $more } further bars are in the table.
  }
hpl-bar = { $case }, { $column }
