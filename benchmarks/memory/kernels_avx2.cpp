#include <immintrin.h>

#include "kernels_vector.hpp"

namespace banzuke::memory {
namespace {

struct Vector {
  using Register = __m256d;
  using Bits = __m256i;
  static constexpr const char* name = "AVX2";
  static constexpr std::size_t lanes() { return 4; }
  static Register load(const double* from) { return _mm256_load_pd(from); }
  static void store(double* to, Register value) { _mm256_store_pd(to, value); }
  static Register broadcast(double value) { return _mm256_set1_pd(value); }
  static Register multiply_add(Register x, Register y, Register z) { return _mm256_fmadd_pd(x, y, z); }
  static Bits no_bits() { return _mm256_setzero_si256(); }
  static Bits load_bits(const double* from) { return _mm256_castpd_si256(load(from)); }
  static Bits add_bits(Bits x, Bits y) { return _mm256_add_epi64(x, y); }
  static std::uint64_t sum_bits(Bits x) {
    alignas(32) std::uint64_t part[4];  // NOLINT(modernize-avoid-c-arrays): has no function that the linker could share
    _mm256_store_si256(reinterpret_cast<__m256i*>(part), x);
    return part[0] + part[1] + part[2] + part[3];
  }
};

}  // namespace

const Kernels& avx2_kernels() { return vector_kernels<Vector>(); }

}  // namespace banzuke::memory
