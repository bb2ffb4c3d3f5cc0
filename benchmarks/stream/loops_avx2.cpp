#include <immintrin.h>

#include "loops_vector.hpp"

namespace banzuke::stream {
namespace {

struct Vector {
  using Register = __m256d;
  static constexpr const char* name = "AVX2";
  static constexpr std::size_t lanes() { return 4; }
  static Register load(const double* from) { return _mm256_loadu_pd(from); }
  static void store(double* to, Register value) { _mm256_storeu_pd(to, value); }
  static void stream(double* to, Register value) { _mm256_stream_pd(to, value); }
  static void fence() { _mm_sfence(); }
  static Register broadcast(double value) { return _mm256_set1_pd(value); }
  static Register add(Register x, Register y) { return _mm256_add_pd(x, y); }
  static Register multiply(Register x, Register y) { return _mm256_mul_pd(x, y); }
  static Register multiply_add(Register x, Register y, Register z) { return _mm256_fmadd_pd(x, y, z); }
  static double sum(Register x) {
    const __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)));
  }
};

}  // namespace

const Loops* avx2_loops(Stores stores) { return vector_loops<Vector>(stores); }

}  // namespace banzuke::stream
