#include "core/fft/kernels_sve.hpp"

namespace banzuke::fft {

constinit const Kernels sve256 = kernels<Sve>("SVE, 256 bits");

}  // namespace banzuke::fft
