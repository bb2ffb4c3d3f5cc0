#include <immintrin.h>

#include "kernels_vector.hpp"

namespace banzuke::spmv {
namespace {

constexpr std::uint64_t low = 0xffffffffU;
constexpr std::uint64_t lowest = 0xffffU;

// Pairs of columns. They are not negative, so two are loaded as one number.
struct __attribute__((may_alias, packed)) Pairs {
  std::uint64_t a, b, c, d;
};

// Four offsets.
struct __attribute__((may_alias, packed)) Quads {
  std::uint64_t a, b;
};

// `instruction`: gathers by the gather instruction, not by eight loads.
template <bool instruction>
struct Vector {
  using Register = __m512d;
  using Quad = FourLanes;
  static constexpr const char* name = instruction ? "AVX-512, gather" : "AVX-512";
  static constexpr int lanes = 8;
  static constexpr bool predicated = false;
  static Register zero() { return _mm512_setzero_pd(); }
  static Register load(const double* from) { return _mm512_loadu_pd(from); }
  static Register load_first(const double* from, int count) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << static_cast<unsigned>(count)) - 1U), from);
  }
  static Register gather(const double* x, const std::int32_t* at) {
    if constexpr (instruction) {
      const __m256i columns = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
      return _mm512_mask_i32gather_pd(zero(), 0xff, columns, x, 8);
    }
    const auto [a, b, c, d] = *reinterpret_cast<const Pairs*>(at);
    return _mm512_set_pd(x[d >> 32U], x[d & low], x[c >> 32U], x[c & low], x[b >> 32U], x[b & low], x[a >> 32U],
                         x[a & low]);
  }
  static Register gather(const double* x, const std::uint16_t* at) {
    if constexpr (instruction) {
      const __m256i offsets = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
      return _mm512_mask_i32gather_pd(zero(), 0xff, offsets, x, 8);
    }
    const auto [a, b] = *reinterpret_cast<const Quads*>(at);
    return _mm512_set_pd(x[b >> 48U], x[b >> 32U & lowest], x[b >> 16U & lowest], x[b & lowest], x[a >> 48U],
                         x[a >> 32U & lowest], x[a >> 16U & lowest], x[a & lowest]);
  }
  static Register multiply_add(Register a, Register b, Register c) { return _mm512_fmadd_pd(a, b, c); }
  static double sum(Register a) {
    // With the versions without a mask, GCC 12 warns about its own header.
    constexpr __mmask8 all = 0xff;
    const __m256d half = _mm512_maskz_extractf64x4_pd(all, a, 0) + _mm512_maskz_extractf64x4_pd(all, a, 1);
    const __m128d quarter = _mm256_castpd256_pd128(half) + _mm256_extractf128_pd(half, 1);
    return quarter[0] + quarter[1];
  }
  static void stream(double* to, Register a) { _mm512_stream_pd(to, a); }
  static void fence() { _mm_sfence(); }
  static void store(double* to, Register a) { _mm512_storeu_pd(to, a); }
};

}  // namespace

const Kernels avx512_kernels = vector_kernels<Vector<false>>();
const Kernels avx512_gather_kernels = vector_kernels<Vector<true>>();

}  // namespace banzuke::spmv
