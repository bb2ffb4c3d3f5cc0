#include "kernels_vector.hpp"

namespace banzuke::spmv {
namespace {

// Vectors of two doubles, which every x86-64 and AArch64 processor has.
struct Vector {
  using Register __attribute__((vector_size(16), aligned(8), may_alias)) = double;
  using Quad = FourLanes;
#if defined(__aarch64__)
  static constexpr const char* name = "NEON";
#else
  static constexpr const char* name = "baseline";
#endif
  static constexpr int lanes = 2;
  static constexpr bool predicated = false;
  static Register zero() { return Register{}; }
  static Register load(const double* from) { return *reinterpret_cast<const Register*>(from); }
  static Register load_first(const double* from, int /*count*/) { return Register{from[0], 0.0}; }
  template <class Index>
  static Register gather(const double* x, const Index* at) {
    return Register{x[at[0]], x[at[1]]};
  }
  static Register multiply_add(Register a, Register b, Register c) { return a * b + c; }
  static double sum(Register a) { return a[0] + a[1]; }
  static void stream(double* to, Register a) { store(to, a); }
  static void fence() {}
  static void store(double* to, Register a) { *reinterpret_cast<Register*>(to) = a; }
};

}  // namespace

const Kernels plain_kernels = vector_kernels<Vector>();

}  // namespace banzuke::spmv
