#include "core/isa.hpp"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace banzuke {

#if defined(__x86_64__)
bool runs(Isa isa) {
  switch (isa) {
    case Isa::plain:
      return true;
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    case Isa::neon:
    case Isa::sve:
      return false;
  }
  return false;
}
#elif defined(__aarch64__)
bool runs(Isa isa) {
  constexpr unsigned long sve_bit = 1UL << 22U;  // HWCAP_SVE, absent from older headers
  return isa == Isa::plain || isa == Isa::neon || (isa == Isa::sve && (getauxval(AT_HWCAP) & sve_bit) != 0);
}
#else
bool runs(Isa isa) { return isa == Isa::plain; }
#endif

}  // namespace banzuke
