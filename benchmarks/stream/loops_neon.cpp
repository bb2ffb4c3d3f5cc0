#include <arm_neon.h>

#include "loops_vector.hpp"

namespace banzuke::stream {
namespace {

// Pairs of registers, because the non-temporal store exists only for pairs.
struct Vector {
  using Register = float64x2x2_t;
  static constexpr const char* name = "NEON";
  static constexpr std::size_t lanes() { return 4; }
  static Register load(const double* from) { return vld1q_f64_x2(from); }
  static void store(double* to, Register value) { vst1q_f64_x2(to, value); }
  static void stream(double* to, Register value) {
    asm volatile("stnp %q1, %q2, [%0]" : : "r"(to), "w"(value.val[0]), "w"(value.val[1]) : "memory");
  }
  static void fence() {}  // stnp is an ordinary store with a hint
  static Register broadcast(double value) { return {{vdupq_n_f64(value), vdupq_n_f64(value)}}; }
  static Register add(Register x, Register y) {
    return {{vaddq_f64(x.val[0], y.val[0]), vaddq_f64(x.val[1], y.val[1])}};
  }
  static Register multiply(Register x, Register y) {
    return {{vmulq_f64(x.val[0], y.val[0]), vmulq_f64(x.val[1], y.val[1])}};
  }
  static Register multiply_add(Register x, Register y, Register z) {
    return {{vfmaq_f64(z.val[0], x.val[0], y.val[0]), vfmaq_f64(z.val[1], x.val[1], y.val[1])}};
  }
  static double sum(Register x) { return vaddvq_f64(vaddq_f64(x.val[0], x.val[1])); }
};

}  // namespace

const Loops* neon_loops(Stores stores) { return vector_loops<Vector>(stores); }

}  // namespace banzuke::stream
