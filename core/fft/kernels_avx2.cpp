#include <immintrin.h>

#include "core/fft/kernels_simple.hpp"

namespace banzuke::fft {
namespace {

struct Set : OneByOne {
  static constexpr int lanes = 4;

  static void stream(double* to, Real<4> values) { _mm256_stream_pd(to, values); }

  static Pair<4> split(const Complex* in) {
    const __m256d low = _mm256_loadu_pd(&in[0].re);
    const __m256d high = _mm256_loadu_pd(&in[2].re);
    return {_mm256_permute4x64_pd(_mm256_unpacklo_pd(low, high), 0xd8),
            _mm256_permute4x64_pd(_mm256_unpackhi_pd(low, high), 0xd8)};
  }

  template <bool past_caches>
  static void join(const Lanes& x, Complex* out) {
    for (int i = 0; i < 8; i += 4) {
      const __m256d re = _mm256_load_pd(x.re + i);
      const __m256d im = _mm256_load_pd(x.im + i);
      const __m256d low = _mm256_unpacklo_pd(re, im);
      const __m256d high = _mm256_unpackhi_pd(re, im);
      put<past_caches>(&out[i].re, _mm256_permute2f128_pd(low, high, 0x20));
      put<past_caches>(&out[i + 2].re, _mm256_permute2f128_pd(low, high, 0x31));
    }
  }

 private:
  template <bool past_caches>
  static void put(double* to, __m256d values) {
    if constexpr (past_caches) {
      _mm256_stream_pd(to, values);
    } else {
      _mm256_storeu_pd(to, values);
    }
  }
};

}  // namespace

constinit const Kernels avx2 = kernels<Set>("AVX2");

}  // namespace banzuke::fft
