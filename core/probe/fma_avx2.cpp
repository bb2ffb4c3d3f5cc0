#include <immintrin.h>

#include "fma.hpp"

namespace banzuke {
namespace {

struct Avx2 {
  using Vector = __m256d;
  static constexpr int kAccumulators = 12;  // latency 5 x 2 units, and the two operands fit beside them
  static Vector set(double x) { return _mm256_set1_pd(x); }
  static Vector fma(Vector acc, Vector factor, Vector term) { return _mm256_fmadd_pd(acc, factor, term); }
  static double first(Vector v) { return _mm256_cvtsd_f64(v); }
};

}  // namespace

FmaKernel fma_avx2() { return make_fma<Avx2>("AVX2", 256); }

}  // namespace banzuke
