hpcg-rule-seconds = at least { $least } s of timed sets
hpcg-rule-memory = at least { $least } of the memory
hpcg-rule-boxes = equal boxes on all ranks
hpcg-unequal-boxes = unequal boxes
hpcg-layer = layer { $number }
hpcg-ranks-layer = Layer of ranks
hpcg-ranks-layers = layers of ranks
hpcg-points = the points
hpcg-iteration-rates = rates of iterations on boxes of their own
hpcg-layer-limit = HPCG's rules for a box, whose sides are at least 16 and at least an eighth of the longest, do not allow the shares that the rates ask for

# What its model refuses and remarks.
hpcg-no-clock = The clock is not described: work of the cores other than memory is left out
hpcg-devices-only = The processors' memory bandwidth is not described: only the devices are considered
hpcg-other-code = public figures are of vendors' codes, not of { $code }
hpcg-far-grid = public figures are of nearly cubic grids, not of { $grid }
hpcg-dealt-boxes = ranks with boxes by their rates, or as given, are not predicted
hpcg-no-devices = { $name } has no devices whose memory bandwidth is described
hpcg-device-ranks = { $name }: HPCG runs one rank on each of { $devices } devices
hpcg-large-box = { $box } points a rank are more than the memory holds
hpcg-local-grid = nx, ny, nz: HPCG's rules allow no local grid of { $box }
hpcg-local-rule = each side is a multiple of 8, at least 16 and at least 1/8 of the longest
hpcg-grid = { $grid } processes are not { $ranks }
