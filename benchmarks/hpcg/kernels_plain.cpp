#include "kernels_vector.hpp"

namespace banzuke::hpcg {

// The instruction set that every x86-64 or AArch64 processor has.
#if defined(__aarch64__)
constinit const Kernels plain_kernels = Loops<ByLoads<2>>::kernels("NEON");
#else
constinit const Kernels plain_kernels = Loops<ByLoads<2>>::kernels("baseline");
#endif

}  // namespace banzuke::hpcg
