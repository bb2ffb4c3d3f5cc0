// For the length of SVE's vectors that the including source is compiled for.
#pragma once

#include <arm_sve.h>

#include "core/fft/kernels_vector.hpp"

// NOLINTBEGIN(modernize-avoid-c-arrays)
namespace banzuke::fft {
namespace {

struct Sve {
  static constexpr int lanes = __ARM_FEATURE_SVE_BITS / 64;

  static void stream(double* to, Real<lanes> values) { svstnt1_f64(svptrue_b64(), to, values); }

  static Pair<lanes> split(const Complex* in) {
    const svfloat64x2_t both = svld2_f64(svptrue_b64(), &in->re);
    return {svget2_f64(both, 0), svget2_f64(both, 1)};
  }

  template <bool past_caches>
  static void join(const Lanes& x, Complex* out) {
    const svbool_t all = svptrue_b64();
    for (int i = 0; i < fft::lanes; i += lanes) {
      const svfloat64_t re = svld1_f64(all, x.re + i);
      const svfloat64_t im = svld1_f64(all, x.im + i);
      if constexpr (past_caches) {
        svstnt1_f64(all, &out[i].re, svzip1_f64(re, im));
        svstnt1_f64(all, &out[i].re + lanes, svzip2_f64(re, im));
      } else {
        svst2_f64(all, &out[i].re, svcreate2_f64(re, im));
      }
    }
  }

  static void turn(const Lanes* x, const std::int32_t* place, int count, Lanes* out) {
    for (int row = 0; row < fft::lanes; row += lanes) {
      for (int column = 0; column < fft::lanes; column += lanes) {
        Real<lanes> re[lanes] = {};
        Real<lanes> im[lanes] = {};
#pragma GCC unroll 8
        for (int i = 0; i < lanes; ++i) {
          if (row + i >= count) continue;
          re[i] = svld1_f64(svptrue_b64(), x[place[row + i]].re + column);
          im[i] = svld1_f64(svptrue_b64(), x[place[row + i]].im + column);
        }
        transpose(re);
        transpose(im);
#pragma GCC unroll 8
        for (int i = 0; i < lanes; ++i) {
          svst1_f64(svptrue_b64(), out[column + i].re + row, re[i]);
          svst1_f64(svptrue_b64(), out[column + i].im + row, im[i]);
        }
      }
    }
  }

  // Exchanges rows and columns: interleaves the rows' upper half with the lower one until every bit of row and column
  // has changed places.
  static void transpose(Real<lanes>* rows) {
#pragma GCC unroll 3
    for (int step = 1; step < lanes; step *= 2) {
      Real<lanes> old[lanes];
#pragma GCC unroll 8
      for (int i = 0; i < lanes; ++i) old[i] = rows[i];
#pragma GCC unroll 4
      for (int i = 0; i < lanes / 2; ++i) {
        rows[2 * i] = svzip1_f64(old[i], old[i + lanes / 2]);
        rows[2 * i + 1] = svzip2_f64(old[i], old[i + lanes / 2]);
      }
    }
  }
};

}  // namespace
}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
