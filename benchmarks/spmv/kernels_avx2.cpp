#include <immintrin.h>

#include "kernels_vector.hpp"

namespace banzuke::spmv {
namespace {

// `instruction`: gathers by the gather instruction, not by four loads.
template <bool instruction>
struct Vector {
  using Register = __m256d;
  using Quad = FourLanes;
  static constexpr const char* name = instruction ? "AVX2, gather" : "AVX2";
  static constexpr int lanes = 4;
  static constexpr bool predicated = false;
  static Register zero() { return _mm256_setzero_pd(); }
  static Register load(const double* from) { return _mm256_loadu_pd(from); }
  static Register load_first(const double* from, int count) {
    const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    return _mm256_maskload_pd(from, mask);
  }
  static Register gather(const double* x, const std::int32_t* at) {
    if constexpr (instruction) {
      const __m128i columns = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
      return _mm256_mask_i32gather_pd(zero(), x, columns, all, 8);
    }
    return _mm256_set_pd(x[at[3]], x[at[2]], x[at[1]], x[at[0]]);
  }
  static Register gather(const double* x, const std::uint16_t* at) {
    if constexpr (instruction) {
      const __m128i offsets = _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)));
      const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
      return _mm256_mask_i32gather_pd(zero(), x, offsets, all, 8);
    }
    return _mm256_set_pd(x[at[3]], x[at[2]], x[at[1]], x[at[0]]);
  }
  static Register multiply_add(Register a, Register b, Register c) { return _mm256_fmadd_pd(a, b, c); }
  static double sum(Register a) {
    const __m128d half = _mm256_castpd256_pd128(a) + _mm256_extractf128_pd(a, 1);
    return half[0] + half[1];
  }
  static void stream(double* to, Register a) { _mm256_stream_pd(to, a); }
  static void fence() { _mm_sfence(); }
  static void store(double* to, Register a) { _mm256_storeu_pd(to, a); }
};

}  // namespace

const Kernels avx2_kernels = vector_kernels<Vector<false>>();
const Kernels avx2_gather_kernels = vector_kernels<Vector<true>>();

}  // namespace banzuke::spmv
