#include <immintrin.h>

#include "loops_vector.hpp"

namespace banzuke::stream {
namespace {

struct Vector {
  using Register = __m512d;
  static constexpr const char* name = "AVX-512";
  static constexpr std::size_t lanes() { return 8; }
  static Register load(const double* from) { return _mm512_loadu_pd(from); }
  static void store(double* to, Register value) { _mm512_storeu_pd(to, value); }
  static void stream(double* to, Register value) { _mm512_stream_pd(to, value); }
  static void fence() { _mm_sfence(); }
  static Register broadcast(double value) { return _mm512_set1_pd(value); }
  static Register add(Register x, Register y) { return _mm512_add_pd(x, y); }
  static Register multiply(Register x, Register y) { return _mm512_mul_pd(x, y); }
  static Register multiply_add(Register x, Register y, Register z) { return _mm512_fmadd_pd(x, y, z); }
  // Goes through memory, because GCC 12 warns about its own intrinsics that split a register (bug 105593).
  static double sum(Register x) {
    alignas(64) double part[8];  // NOLINT(modernize-avoid-c-arrays): has no function that the linker could share
    _mm512_store_pd(part, x);
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  }
};

}  // namespace

const Loops* avx512_loops(Stores stores) { return vector_loops<Vector>(stores); }

}  // namespace banzuke::stream
