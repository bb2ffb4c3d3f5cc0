#include "fma.hpp"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace banzuke {

FmaKernel widest_fma() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return fma_avx512();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return fma_avx2();
  return fma_scalar();
#elif defined(__aarch64__)
  return getauxval(AT_HWCAP) & HWCAP_SVE ? fma_sve() : fma_neon();
#else
  return fma_scalar();
#endif
}

}  // namespace banzuke
