#include <immintrin.h>

#include "fma.hpp"

namespace banzuke {
namespace {

struct Avx512 {
  using Vector = __m512d;
  static constexpr int kAccumulators = 24;
  static Vector set(double x) { return _mm512_set1_pd(x); }
  static Vector fma(Vector acc, Vector factor, Vector term) { return _mm512_fmadd_pd(acc, factor, term); }
  static double first(Vector v) { return _mm512_cvtsd_f64(v); }
};

}  // namespace

FmaKernel fma_avx512() { return make_fma<Avx512>("AVX-512", 512); }

}  // namespace banzuke
