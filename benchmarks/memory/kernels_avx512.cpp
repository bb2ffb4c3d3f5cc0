#include <immintrin.h>

#include "kernels_vector.hpp"

namespace banzuke::memory {
namespace {

struct Vector {
  using Register = __m512d;
  using Bits = __m512i;
  static constexpr const char* name = "AVX-512";
  static constexpr std::size_t lanes() { return 8; }
  static Register load(const double* from) { return _mm512_load_pd(from); }
  static void store(double* to, Register value) { _mm512_store_pd(to, value); }
  static Register broadcast(double value) { return _mm512_set1_pd(value); }
  static Register multiply_add(Register x, Register y, Register z) { return _mm512_fmadd_pd(x, y, z); }
  static Bits no_bits() { return _mm512_setzero_si512(); }
  static Bits load_bits(const double* from) { return _mm512_castpd_si512(load(from)); }
  static Bits add_bits(Bits x, Bits y) { return _mm512_add_epi64(x, y); }
  static std::uint64_t sum_bits(Bits x) {
    alignas(64) std::uint64_t part[8];  // NOLINT(modernize-avoid-c-arrays): has no function that the linker could share
    _mm512_store_si512(part, x);
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  }
};

}  // namespace

const Kernels& avx512_kernels() { return vector_kernels<Vector>(); }

}  // namespace banzuke::memory
