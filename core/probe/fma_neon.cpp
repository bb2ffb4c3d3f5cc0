#include <arm_neon.h>

#include "fma.hpp"

namespace banzuke {
namespace {

struct Neon {
  using Vector = float64x2_t;
  static constexpr int kAccumulators = 24;
  static Vector set(double x) { return vdupq_n_f64(x); }
  // The instruction overwrites its addend, so the accumulator must be the addend: it grows linearly.
  static Vector fma(Vector acc, Vector factor, Vector term) { return vfmaq_f64(acc, factor, term); }
  static double first(Vector v) { return vgetq_lane_f64(v, 0); }
};

}  // namespace

FmaKernel fma_neon() { return make_fma<Neon>("NEON", 128); }

}  // namespace banzuke
