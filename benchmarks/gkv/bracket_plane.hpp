// The bracket on one plane, at one z, v and m: modes |kx| <= nx, 0 <= ky <= ny of real functions, and n_x x n_y points.
//
// h_x and h_y are real: h_x + i h_y takes one complex transform, along y for eight kx at once, then along x for eight
// y. The bracket at twice eight y is transformed as one complex series along x, then along y for eight kx >= 0.
#pragma once

#include <memory>
#include <vector>

#include "bracket_loops.hpp"
#include "core/array.hpp"
#include "core/fft/batch.hpp"

namespace banzuke::gkv {

// All loops that this processor can run, widest first.
std::vector<const Loops*> available_loops();

// Rows of kx = -nx..nx for ky = 0..ny, in blocks of `own` rows that are `distance` numbers apart.
template <class Number>
struct Rows {
  Number* first;
  std::int64_t own;
  std::int64_t distance;
};

class Plane {
 public:
  // Points along x and y: products of 2, 3 and 5, more than 3 nx and 3 ny.
  Plane(std::int64_t nx, std::int64_t ny, std::int64_t points_x, std::int64_t points_y, const fft::Kernels& kernels,
        const Loops& loops);

  static std::int64_t gradients(std::int64_t points_x, std::int64_t points_y);  // of a plane

  // A thread's scratch memory.
  class Scratch {
   public:
    explicit Scratch(const Plane& plane);

   private:
    friend class Plane;
    Array<Lanes> grid;    // blocks of eight y, x by x
    Array<Lanes> line;    // one transform of these blocks
    Array<Lanes> mirror;  // modes of -kx
    Array<Complex> modes;
  };
  static double scratch_bytes(std::int64_t modes, std::int64_t points_x, std::int64_t points_y);

  // Modes with ky = 0 are those of a real function: the mode at -kx is the conjugate.
  void keep_psi(const Rows<const Complex>& psi, Gradients* out, Scratch& scratch) const;
  void keep_chi(const Rows<const Complex>& chi, Gradients* out, Scratch& scratch) const;
  // Modes of (psi_x - v chi_x) h_y - (psi_y - v chi_y) h_x.
  void bracket(const Rows<const Complex>& h, const Gradients* of, double v, const Rows<Complex>& out,
               Scratch& scratch) const;

 private:
  void along_y(const Rows<const Complex>& h, Scratch& scratch) const;
  Lanes* along_x(std::int64_t block, Scratch& scratch) const;
  void back_along_y(const Rows<Complex>& out, Scratch& scratch) const;
  std::int64_t row(std::int64_t kx) const { return kx < 0 ? points_x_ + kx : kx; }

  std::int64_t nx_;
  std::int64_t ny_;
  std::int64_t points_x_;
  std::int64_t points_y_;
  std::int64_t blocks_y_;  // of eight y, an even number
  fft::Batch long_x_;
  fft::Batch long_y_;
  std::vector<std::int32_t> in_order_;
  const fft::Kernels* kernels_;
  const Loops* loops_;
};

}  // namespace banzuke::gkv
