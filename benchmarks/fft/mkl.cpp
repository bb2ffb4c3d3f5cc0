#include "mkl.hpp"

#include "library_fft.hpp"

namespace banzuke::fft {

const Candidate& candidate = mkl;

}  // namespace banzuke::fft
