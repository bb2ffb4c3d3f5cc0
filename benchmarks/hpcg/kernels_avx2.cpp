#include "kernels_vector.hpp"

namespace banzuke::hpcg {

constinit const Kernels avx2_kernels = kernels_of("AVX2");

}  // namespace banzuke::hpcg
