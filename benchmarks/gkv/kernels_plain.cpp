#include "kernels_vector.hpp"

namespace banzuke::gkv {
namespace {

// Vectors of two doubles, which every x86-64 and AArch64 processor has.
struct Set {
  static constexpr int lanes = 2;
  static void stream(double* to, Real<2> values) { *reinterpret_cast<Real<2>*>(to) = values; }
  static void fence() {}
};

}  // namespace

constinit const Kernels plain_kernels = kernels<Set>("two lanes");

}  // namespace banzuke::gkv
