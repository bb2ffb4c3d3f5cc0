#include "kernels_vector.hpp"

namespace banzuke::hpl {

// 24 of the 32 registers hold sums.
const Kernels avx512_kernels{"AVX-512", advance<8>, subtract_product<8, 3, 8>, solve<8>};

}  // namespace banzuke::hpl
