
fft-place-pattern = Fourier transform
