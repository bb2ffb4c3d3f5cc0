// The loops over one plane's modes and points besides the transforms, for one instruction set; each bracket_*.cpp is
// compiled for its own. Included in code compiled for wider instructions, so nothing here may define a function that
// the linker could share with the rest of the program.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

#include "core/fft/kernels.hpp"

namespace banzuke::gkv {

using fft::Complex;
using fft::Lanes;

// Derivatives in real space at eight neighbouring y of one x.
struct alignas(64) Gradients {
  double psi_x[fft::lanes];
  double psi_y[fft::lanes];
  double chi_x[fft::lanes];
  double chi_y[fft::lanes];
};

struct Loops {
  const char* name;
  // Rows 0..ny of x hold the modes of h for eight kx from `kx` on, and rows n - ky hold `width` modes of -kx in reverse
  // order. Each row becomes the mode of h_x + i h_y with re and im exchanged; the other rows become 0.
  void (*gradient)(Lanes* x, std::int64_t n, std::int64_t ny, std::int64_t kx, int width);
  // z[place] is h_x + i h_y, exchanged as above, at `count` x.
  void (*keep_psi)(const Lanes* z, const std::int32_t* place, std::int64_t count, Gradients* out);
  void (*keep_chi)(const Lanes* z, const std::int32_t* place, std::int64_t count, Gradients* out);
  // (psi_x - v chi_x) h_y - (psi_y - v chi_y) h_x, in re or im of `out`.
  void (*bracket)(const Lanes* z, const std::int32_t* place, std::int64_t count, const Gradients* of, double v,
                  bool in_im, Lanes* out);
  // out[ky] = conj x[place[n - ky]] for ky < end, the first `width` lanes in reverse: modes of -kx from
  // those of kx.
  void (*mirror)(const Lanes* x, const std::int32_t* place, std::int64_t n, std::int64_t end, int width, Lanes* out);
};

extern const Loops loops_plain;
extern const Loops loops_avx2;
extern const Loops loops_avx512;
extern const Loops loops_sve256;
extern const Loops loops_sve512;

// The widest loops that this processor can run.
const Loops& loops();

}  // namespace banzuke::gkv
// NOLINTEND(modernize-avoid-c-arrays)
