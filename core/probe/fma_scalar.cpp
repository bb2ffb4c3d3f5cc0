#include "fma.hpp"

namespace banzuke {
namespace {

// One multiplication and one addition, for processors without a fused instruction.
struct Scalar {
  using Vector = double;
  static constexpr int kAccumulators = 12;
  static Vector set(double x) { return x; }
  static Vector fma(Vector acc, Vector factor, Vector term) {
    acc = acc * factor + term;
#if defined(__x86_64__)
    asm volatile("" : "+x"(acc));  // keeps the compiler from vectorising the accumulators
#elif defined(__aarch64__)
    asm volatile("" : "+w"(acc));
#else
    asm volatile("" : "+f"(acc));
#endif
    return acc;
  }
  static double first(Vector v) { return v; }
};

}  // namespace

FmaKernel fma_scalar() { return make_fma<Scalar>("scalar", 64); }

}  // namespace banzuke
