// NOLINTBEGIN(modernize-avoid-c-arrays)
#include <immintrin.h>

#include "core/fft/kernels_vector.hpp"

namespace banzuke::fft {
namespace {

// Uses zero-masking intrinsics with a full mask, because GCC reports an uninitialised variable in the unmasked ones.
struct Set {
  static constexpr int lanes = 8;

  static void stream(double* to, Real<8> values) { _mm512_stream_pd(to, values); }

  static void split(const Complex* in, Lanes& x) {
    const __m512d low = _mm512_loadu_pd(&in[0].re);
    const __m512d high = _mm512_loadu_pd(&in[4].re);
    const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    _mm512_store_pd(x.re, _mm512_permutex2var_pd(low, even, high));
    _mm512_store_pd(x.im, _mm512_permutex2var_pd(low, odd, high));
  }

  template <bool past_caches>
  static void join(const Lanes& x, Complex* out) {
    const __m512d re = _mm512_load_pd(x.re);
    const __m512d im = _mm512_load_pd(x.im);
    const __m512d low = _mm512_permutex2var_pd(re, _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), im);
    const __m512d high = _mm512_permutex2var_pd(re, _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4), im);
    if constexpr (past_caches) {
      _mm512_stream_pd(&out[0].re, low);
      _mm512_stream_pd(&out[4].re, high);
    } else {
      _mm512_storeu_pd(&out[0].re, low);
      _mm512_storeu_pd(&out[4].re, high);
    }
  }

  static void transpose(const double* const* rows, double* out, std::int64_t stride) {
    __m512d pairs[8];
    for (int i = 0; i < 8; i += 2) {
      const __m512d a = _mm512_load_pd(rows[i]);
      const __m512d b = _mm512_load_pd(rows[i + 1]);
      pairs[i] = _mm512_maskz_unpacklo_pd(0xff, a, b);
      pairs[i + 1] = _mm512_maskz_unpackhi_pd(0xff, a, b);
    }
    for (int odd = 0; odd < 2; ++odd) {
      const __m512d low02 = _mm512_maskz_shuffle_f64x2(0xff, pairs[odd], pairs[2 + odd], 0x88);
      const __m512d high02 = _mm512_maskz_shuffle_f64x2(0xff, pairs[odd], pairs[2 + odd], 0xdd);
      const __m512d low46 = _mm512_maskz_shuffle_f64x2(0xff, pairs[4 + odd], pairs[6 + odd], 0x88);
      const __m512d high46 = _mm512_maskz_shuffle_f64x2(0xff, pairs[4 + odd], pairs[6 + odd], 0xdd);
      _mm512_store_pd(out + odd * stride, _mm512_maskz_shuffle_f64x2(0xff, low02, low46, 0x88));
      _mm512_store_pd(out + (4 + odd) * stride, _mm512_maskz_shuffle_f64x2(0xff, low02, low46, 0xdd));
      _mm512_store_pd(out + (2 + odd) * stride, _mm512_maskz_shuffle_f64x2(0xff, high02, high46, 0x88));
      _mm512_store_pd(out + (6 + odd) * stride, _mm512_maskz_shuffle_f64x2(0xff, high02, high46, 0xdd));
    }
  }

  static void turn(const Lanes* x, const std::int32_t* place, int count, Lanes* out) {
    static constexpr Lanes nothing{};
    const double* re[8];
    const double* im[8];
    for (int i = 0; i < 8; ++i) {
      const Lanes& from = i < count ? x[place[i]] : nothing;
      re[i] = from.re;
      im[i] = from.im;
    }
    transpose(re, out[0].re, sizeof(Lanes) / sizeof(double));
    transpose(im, out[0].im, sizeof(Lanes) / sizeof(double));
  }
};

}  // namespace

constinit const Kernels avx512 = kernels<Set>("AVX-512");

}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
