#include "kernels_vector.hpp"

namespace banzuke::hpcg {

constinit const Kernels avx512_kernels = Loops<ByLoads<8>>::kernels("AVX-512");

}  // namespace banzuke::hpcg
