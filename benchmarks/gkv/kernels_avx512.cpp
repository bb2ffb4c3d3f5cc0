#include <immintrin.h>

#include "kernels_vector.hpp"

namespace banzuke::gkv {
namespace {

struct Set {
  static constexpr int lanes = 8;
  static void stream(double* to, Real<8> values) { _mm512_stream_pd(to, values); }
  static void fence() { _mm_sfence(); }
};

}  // namespace

constinit const Kernels avx512_kernels = kernels<Set>("AVX-512");

}  // namespace banzuke::gkv
