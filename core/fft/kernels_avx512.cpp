// NOLINTBEGIN(modernize-avoid-c-arrays)
#include <immintrin.h>

#include "core/fft/kernels_vector.hpp"

namespace banzuke::fft {
namespace {

// Uses zero-masking intrinsics with a full mask, because GCC reports an uninitialised variable in the unmasked ones.
struct Set {
  static constexpr int lanes = 8;

  static void stream(double* to, Real<8> values) { _mm512_stream_pd(to, values); }

  static Pair<8> split(const Complex* in) {
    const __m512d low = _mm512_loadu_pd(&in[0].re);
    const __m512d high = _mm512_loadu_pd(&in[4].re);
    const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    return {_mm512_permutex2var_pd(low, even, high), _mm512_permutex2var_pd(low, odd, high)};
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

  // Exchanges rows and columns.
  static void transpose(Real<8>* rows) {
    __m512d pairs[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
      pairs[i] = _mm512_maskz_unpacklo_pd(0xff, rows[i], rows[i + 1]);
      pairs[i + 1] = _mm512_maskz_unpackhi_pd(0xff, rows[i], rows[i + 1]);
    }
#pragma GCC unroll 2
    for (int odd = 0; odd < 2; ++odd) {
      const __m512d low02 = _mm512_maskz_shuffle_f64x2(0xff, pairs[odd], pairs[2 + odd], 0x88);
      const __m512d high02 = _mm512_maskz_shuffle_f64x2(0xff, pairs[odd], pairs[2 + odd], 0xdd);
      const __m512d low46 = _mm512_maskz_shuffle_f64x2(0xff, pairs[4 + odd], pairs[6 + odd], 0x88);
      const __m512d high46 = _mm512_maskz_shuffle_f64x2(0xff, pairs[4 + odd], pairs[6 + odd], 0xdd);
      rows[odd] = _mm512_maskz_shuffle_f64x2(0xff, low02, low46, 0x88);
      rows[4 + odd] = _mm512_maskz_shuffle_f64x2(0xff, low02, low46, 0xdd);
      rows[2 + odd] = _mm512_maskz_shuffle_f64x2(0xff, high02, high46, 0x88);
      rows[6 + odd] = _mm512_maskz_shuffle_f64x2(0xff, high02, high46, 0xdd);
    }
  }

  static void turn(const Lanes* x, const std::int32_t* place, int count, Lanes* out) {
    Real<8> re[8];
    Real<8> im[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      re[i] = i < count ? _mm512_load_pd(x[place[i]].re) : Real<8>{};
      im[i] = i < count ? _mm512_load_pd(x[place[i]].im) : Real<8>{};
    }
    transpose(re);
    transpose(im);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      _mm512_store_pd(out[i].re, re[i]);
      _mm512_store_pd(out[i].im, im[i]);
    }
  }
};

}  // namespace

constinit const Kernels avx512 = kernels<Set>("AVX-512");

}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
