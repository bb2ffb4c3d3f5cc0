#include "kernels_vector.hpp"

namespace banzuke::hpcg {

constinit const Kernels avx2_kernels = Loops<ByLoads<4>>::kernels("AVX2");

}  // namespace banzuke::hpcg
