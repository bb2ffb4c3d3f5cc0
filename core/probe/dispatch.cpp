#include "core/isa.hpp"
#include "fma.hpp"

namespace banzuke {

FmaKernel widest_fma() {
#if defined(__x86_64__)
  if (runs(Isa::avx512)) return fma_avx512();
  if (runs(Isa::avx2)) return fma_avx2();
#elif defined(__aarch64__)
  return runs(Isa::sve) ? fma_sve() : fma_neon();
#endif
  return fma_scalar();
}

}  // namespace banzuke
