#include "kernels_vector.hpp"

namespace banzuke::hpl {

// 24 of the 32 registers hold sums.
const Kernels sve512_kernels{"SVE, 512 bits", advance<8>, subtract_product<8, 3, 8>, solve<8>};

}  // namespace banzuke::hpl
