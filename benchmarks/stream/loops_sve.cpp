#include <arm_sve.h>

#include "loops_vector.hpp"

namespace banzuke::stream {
namespace {

struct Vector {
  using Register = svfloat64_t;
  static constexpr const char* name = "SVE";
  static std::size_t lanes() { return svcntd(); }
  static Register load(const double* from) { return svld1_f64(svptrue_b64(), from); }
  static void store(double* to, Register value) { svst1_f64(svptrue_b64(), to, value); }
  static void stream(double* to, Register value) { svstnt1_f64(svptrue_b64(), to, value); }
  static void fence() {}  // stnt1 is an ordinary store with a hint
  static Register broadcast(double value) { return svdup_n_f64(value); }
  static Register add(Register x, Register y) { return svadd_f64_x(svptrue_b64(), x, y); }
  static Register multiply(Register x, Register y) { return svmul_f64_x(svptrue_b64(), x, y); }
  static Register multiply_add(Register x, Register y, Register z) { return svmad_f64_x(svptrue_b64(), x, y, z); }
  static double sum(Register x) { return svaddv_f64(svptrue_b64(), x); }
};

}  // namespace

const Loops* sve_loops(Stores stores) { return vector_loops<Vector>(stores); }

}  // namespace banzuke::stream
