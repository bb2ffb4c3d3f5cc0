#include "fftw.hpp"

#include "library_fft.hpp"

namespace banzuke::fft {

const Candidate& candidate = fftw;

}  // namespace banzuke::fft
