#include "core/isa.hpp"

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
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
    default:
      return false;
  }
}
#elif defined(__aarch64__)
namespace {

// Returns the bits of SVE's vectors; 0: the processor or the system has no SVE.
int sve_bits() {
  constexpr unsigned long sve = 1UL << 22U;  // HWCAP_SVE; absent from older headers, as are the next two
  constexpr int get_length = 51;             // PR_SVE_GET_VL
  constexpr int length_mask = 0xffff;        // PR_SVE_VL_LEN_MASK
  if ((getauxval(AT_HWCAP) & sve) == 0) return 0;
  const int answer = prctl(get_length, 0, 0, 0, 0);
  return answer < 0 ? 0 : 8 * (answer & length_mask);
}

}  // namespace

bool runs(Isa isa) {
  switch (isa) {
    case Isa::plain:
    case Isa::neon:
      return true;
    case Isa::sve:
      return sve_bits() > 0;
    case Isa::sve128:
      return sve_bits() == 128;
    case Isa::sve256:
      return sve_bits() == 256;
    case Isa::sve512:
      return sve_bits() == 512;
    default:
      return false;
  }
}
#else
bool runs(Isa isa) { return isa == Isa::plain; }
#endif

}  // namespace banzuke
