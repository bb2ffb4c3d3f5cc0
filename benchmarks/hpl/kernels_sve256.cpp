#include "kernels_vector.hpp"

namespace banzuke::hpl {

// 24 of the 32 registers hold sums.
const Kernels sve256_kernels{"SVE, 256 bits", advance<4>, subtract_product<4, 3, 8>, solve<4>};

}  // namespace banzuke::hpl
