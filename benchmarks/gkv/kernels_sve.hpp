// For the length of SVE's vectors that the including source is compiled for.
#pragma once

#include <arm_sve.h>

#include "kernels_vector.hpp"

namespace banzuke::gkv {
namespace {

struct Sve {
  static constexpr int lanes = __ARM_FEATURE_SVE_BITS / 64;
  static void stream(double* to, Real<lanes> values) { svstnt1_f64(svptrue_b64(), to, values); }
  static void fence() {}  // stnt1 is an ordinary store with a hint
};

}  // namespace
}  // namespace banzuke::gkv
