#include "kernels_vector.hpp"

namespace banzuke::hpcg {

constinit const Kernels avx512_kernels = kernels_of("AVX-512");

}  // namespace banzuke::hpcg
