// The loops, vectorised by the compiler; included once by each bracket_*.cpp of an instruction set.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include "bracket_loops.hpp"

namespace banzuke::gkv {
namespace {

constexpr int lanes = fft::lanes;

// The first `width` lanes in reverse order, the others 0.
inline Lanes reversed(const Lanes& x, int width) {
  Lanes out;
  if (width == lanes) {
    for (int lane = 0; lane < lanes; ++lane) out.re[lane] = x.re[lanes - 1 - lane];
    for (int lane = 0; lane < lanes; ++lane) out.im[lane] = x.im[lanes - 1 - lane];
    return out;
  }
  for (int lane = 0; lane < lanes; ++lane) {
    out.re[lane] = lane < width ? x.re[width - 1 - lane] : 0.0;
    out.im[lane] = lane < width ? x.im[width - 1 - lane] : 0.0;
  }
  return out;
}

// Replaces h by i kx h + i (i ky h), with re and im exchanged.
inline void gradient_row(Lanes& h, const double* kx, double ky) {
  for (int lane = 0; lane < lanes; ++lane) {
    const double re = h.re[lane];
    const double im = h.im[lane];
    h.re[lane] = kx[lane] * re - ky * im;
    h.im[lane] = -kx[lane] * im - ky * re;
  }
}

void gradient(Lanes* x, std::int64_t n, std::int64_t ny, std::int64_t kx, int width) {
  double k[lanes];
  for (int lane = 0; lane < lanes; ++lane) k[lane] = static_cast<double>(kx + lane);
  gradient_row(x[0], k, 0.0);
  for (std::int64_t ky = 1; ky <= ny; ++ky) {
    gradient_row(x[ky], k, static_cast<double>(ky));
    Lanes other = reversed(x[n - ky], width);
    for (double& im : other.im) im = -im;
    gradient_row(other, k, static_cast<double>(-ky));
    x[n - ky] = other;
  }
  for (std::int64_t row = ny + 1; row < n - ny; ++row) x[row] = {};
}

void keep_psi(const Lanes* z, const std::int32_t* place, std::int64_t count, Gradients* out) {
  for (std::int64_t x = 0; x < count; ++x) {
    const Lanes& at = z[place[x]];
    for (int lane = 0; lane < lanes; ++lane) out[x].psi_x[lane] = at.im[lane];
    for (int lane = 0; lane < lanes; ++lane) out[x].psi_y[lane] = at.re[lane];
  }
}

void keep_chi(const Lanes* z, const std::int32_t* place, std::int64_t count, Gradients* out) {
  for (std::int64_t x = 0; x < count; ++x) {
    const Lanes& at = z[place[x]];
    for (int lane = 0; lane < lanes; ++lane) out[x].chi_x[lane] = at.im[lane];
    for (int lane = 0; lane < lanes; ++lane) out[x].chi_y[lane] = at.re[lane];
  }
}

void bracket(const Lanes* z, const std::int32_t* place, std::int64_t count, const Gradients* of, double v, bool in_im,
             Lanes* out) {
  for (std::int64_t x = 0; x < count; ++x) {
    const Lanes& h = z[place[x]];
    const Gradients& g = of[x];
    double product[lanes];  // separate, so that the compiler need not assume aliasing with `out`
    for (int lane = 0; lane < lanes; ++lane) {
      product[lane] =
          (g.psi_x[lane] - v * g.chi_x[lane]) * h.re[lane] - (g.psi_y[lane] - v * g.chi_y[lane]) * h.im[lane];
    }
    double* to = in_im ? out[x].im : out[x].re;
    for (int lane = 0; lane < lanes; ++lane) to[lane] = product[lane];
  }
}

void mirror(const Lanes* x, const std::int32_t* place, std::int64_t n, std::int64_t end, int width, Lanes* out) {
  for (std::int64_t ky = 0; ky < end; ++ky) {
    out[ky] = reversed(x[place[ky == 0 ? 0 : n - ky]], width);
    for (double& im : out[ky].im) im = -im;
  }
}

constexpr Loops make_loops(const char* name) noexcept { return {name, gradient, keep_psi, keep_chi, bracket, mirror}; }

}  // namespace
}  // namespace banzuke::gkv
// NOLINTEND(modernize-avoid-c-arrays)
