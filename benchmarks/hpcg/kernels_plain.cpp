#include "core/isa.hpp"
#include "kernels_vector.hpp"

namespace banzuke::hpcg {

// The instruction set that every x86-64 or AArch64 processor has.
#if defined(__aarch64__)
constinit const Kernels plain_kernels = Loops<2>::kernels("NEON");
#else
constinit const Kernels plain_kernels = Loops<2>::kernels("baseline");
#endif

const Kernels& widest_kernels() {
#if defined(__x86_64__)
  if (runs(Isa::avx512)) return avx512_kernels;
  if (runs(Isa::avx2)) return avx2_kernels;
#endif
  return plain_kernels;
}

}  // namespace banzuke::hpcg
