#include "core/fft/kernels_sve.hpp"

namespace banzuke::fft {

constinit const Kernels sve512 = kernels<Sve>("SVE, 512 bits");

}  // namespace banzuke::fft
