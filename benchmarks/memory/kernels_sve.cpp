#include <arm_sve.h>

#include "kernels_vector.hpp"

namespace banzuke::memory {
namespace {

struct Vector {
  using Register = svfloat64_t;
  using Bits = svuint64_t;
  static constexpr const char* name = "SVE";
  static std::size_t lanes() { return svcntd(); }
  static Register load(const double* from) { return svld1_f64(svptrue_b64(), from); }
  static void store(double* to, Register value) { svst1_f64(svptrue_b64(), to, value); }
  static Register broadcast(double value) { return svdup_n_f64(value); }
  static Register multiply_add(Register x, Register y, Register z) { return svmad_f64_x(svptrue_b64(), x, y, z); }
  static Bits no_bits() { return svdup_n_u64(0); }
  static Bits load_bits(const double* from) { return svreinterpret_u64_f64(load(from)); }
  static Bits add_bits(Bits x, Bits y) { return svadd_u64_x(svptrue_b64(), x, y); }
  static std::uint64_t sum_bits(Bits x) { return svaddv_u64(svptrue_b64(), x); }
};

}  // namespace

const Kernels& sve_kernels() { return vector_kernels<Vector>(); }

}  // namespace banzuke::memory
