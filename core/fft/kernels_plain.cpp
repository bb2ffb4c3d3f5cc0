#include "core/fft/kernels_simple.hpp"

namespace banzuke::fft {
namespace {

// Vectors of two doubles, which every x86-64 and AArch64 processor supports.
struct Set : OneByOne {
  static constexpr int lanes = 2;

  static void stream(double* to, Real<2> values) { *reinterpret_cast<Real<2>*>(to) = values; }

  static Pair<2> split(const Complex* in) { return {Real<2>{in[0].re, in[1].re}, Real<2>{in[0].im, in[1].im}}; }

  template <bool>
  static void join(const Lanes& x, Complex* out) {
    for (int lane = 0; lane < banzuke::fft::lanes; ++lane) out[lane] = {x.re[lane], x.im[lane]};
  }
};

}  // namespace

constinit const Kernels plain = kernels<Set>("two lanes");

}  // namespace banzuke::fft
