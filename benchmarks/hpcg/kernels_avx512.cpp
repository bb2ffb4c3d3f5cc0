#include "kernels_vector.hpp"

namespace banzuke::hpcg {

constinit const Kernels avx512_kernels = Loops<8>::kernels("AVX-512");

}  // namespace banzuke::hpcg
