
fft-place-pattern = Fourier transform

# What its model refuses and remarks.
fft-backend = what { $backend } does is not predicted
fft-one-type = FFT is predicted for nodes of one type only
fft-cores = { $ranks } ranks of { $threads } threads are more than the { $cores } cores of a node
fft-factors = { $ranks } ranks have other prime factors than 2, 3 and 5
fft-nodes = Of { $all } nodes { $nodes } compute: ranks have only the prime factors 2, 3 and 5
fft-short = { $n } is too short for { $ranks } ranks
fft-vectors = { $vectors } vectors of { $n } numbers do not fit
fft-usable = { $size } are usable
