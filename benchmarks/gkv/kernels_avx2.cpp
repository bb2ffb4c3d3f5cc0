#include <immintrin.h>

#include "kernels_vector.hpp"

namespace banzuke::gkv {
namespace {

struct Set {
  static constexpr int lanes = 4;
  static void stream(double* to, Real<4> values) { _mm256_stream_pd(to, values); }
  static void fence() { _mm_sfence(); }
};

}  // namespace

constinit const Kernels avx2_kernels = kernels<Set>("AVX2");

}  // namespace banzuke::gkv
