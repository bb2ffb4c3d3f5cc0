#include "kernels_vector.hpp"

namespace banzuke::hpl {

// Two doubles: what every x86-64 and AArch64 processor has.
#if defined(__aarch64__)
const Kernels plain_kernels{"NEON", advance<2>, subtract_product<2, 3, 8>, solve<2>};
#else
const Kernels plain_kernels{"baseline", advance<2>, subtract_product<2, 3, 4>, solve<2>};
#endif

}  // namespace banzuke::hpl
