// For the length of SVE's vectors that the including source is compiled for.
#pragma once

#include <arm_sve.h>

#include "kernels_vector.hpp"

namespace banzuke::geofem {
namespace {

struct Sve {
  static constexpr int lanes = __ARM_FEATURE_SVE_BITS / 64;
  static void gather(const double* x, const std::int32_t* place, Real<lanes>* out) {
    const svbool_t all = svptrue_b64();
    const svint64_t at = svld1sw_s64(all, place);
    for (int c = 0; c < 3; ++c) out[c] = svld1_gather_s64index_f64(all, x + c, at);
  }
  static void read(const double* x, Real<lanes>* out) {
    const svfloat64x3_t three = svld3_f64(svptrue_b64(), x);
    out[0] = svget3_f64(three, 0);
    out[1] = svget3_f64(three, 1);
    out[2] = svget3_f64(three, 2);
  }
  static void write(double* x, const Real<lanes>* in) {
    svst3_f64(svptrue_b64(), x, svcreate3_f64(in[0], in[1], in[2]));
  }
};

}  // namespace
}  // namespace banzuke::geofem
