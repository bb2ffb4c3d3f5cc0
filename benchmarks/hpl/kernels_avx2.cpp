#include "kernels_vector.hpp"

namespace banzuke::hpl {

// 12 of the 16 registers hold sums.
const Kernels avx2_kernels{"AVX2", advance<4>, subtract_product<4, 3, 4>, solve<4>};

}  // namespace banzuke::hpl
