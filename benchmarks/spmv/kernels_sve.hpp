// For the length of SVE's vectors that the including source is compiled for.
#pragma once

#include <arm_sve.h>

#include "kernels_vector.hpp"

namespace banzuke::spmv {
namespace {

struct Sve {
  using Register = svfloat64_t __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
  using Quad = FourLanes;
  static constexpr int lanes = __ARM_FEATURE_SVE_BITS / 64;
  static constexpr bool predicated = true;
  static constexpr const char* name = lanes == 8 ? "SVE, 512 bits" : lanes == 4 ? "SVE, 256 bits" : "SVE, 128 bits";
  static Register zero() { return svdup_n_f64(0.0); }
  static Register load(const double* from) { return svld1_f64(svptrue_b64(), from); }
  static Register load_first(const double* from, int count) { return svld1_f64(svwhilelt_b64_s32(0, count), from); }
  static Register gather(const double* x, const std::int32_t* at) {
    return svld1_gather_s64index_f64(svptrue_b64(), x, svld1sw_s64(svptrue_b64(), at));
  }
  static Register gather(const double* x, const std::uint16_t* at) {
    return svld1_gather_u64index_f64(svptrue_b64(), x, svld1uh_u64(svptrue_b64(), at));
  }
  static Register multiply_add(Register a, Register b, Register c) { return svmla_f64_x(svptrue_b64(), c, a, b); }
  static double sum(Register a) { return svaddv_f64(svptrue_b64(), a); }
  static void stream(double* to, Register a) { svstnt1_f64(svptrue_b64(), to, a); }
  static void fence() {}  // stnt1 is an ordinary store with a hint
  static void store(double* to, Register a) { svst1_f64(svptrue_b64(), to, a); }
};

}  // namespace
}  // namespace banzuke::spmv
