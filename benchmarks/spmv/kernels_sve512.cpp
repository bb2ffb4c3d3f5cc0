#include "kernels_sve.hpp"

namespace banzuke::spmv {
namespace {

using Pair __attribute__((vector_size(16), aligned(8), may_alias)) = double;

// Compilers have no vector of half of SVE's length.
struct __attribute__((may_alias)) Pairs {
  Pair low, high;

  void operator+=(Pairs other) {
    low += other.low;
    high += other.high;
  }
  double operator[](int i) const { return i < 2 ? low[i] : high[i - 2]; }
  friend Pairs operator*(Pairs a, double b) { return {a.low * b, a.high * b}; }
  friend Pairs operator*(Pairs a, Pairs b) { return {a.low * b.low, a.high * b.high}; }
};

struct Vector : Sve {
  using Quad = Pairs;
};

}  // namespace

const Kernels sve512_kernels = vector_kernels<Vector>();

}  // namespace banzuke::spmv
