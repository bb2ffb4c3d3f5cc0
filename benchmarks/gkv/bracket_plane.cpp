#include "bracket_plane.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/isa.hpp"

namespace banzuke::gkv {
namespace {

constexpr std::int64_t eight = fft::lanes;

// Returns the number of blocks of eight, which is even because two real series are transformed as a complex one.
std::int64_t blocks_of(std::int64_t points_y) { return (points_y + 2 * eight - 1) / (2 * eight) * 2; }

// Calls pass(first ky, count, pointer to its row) for each block of rows up to ky = ny.
template <class Number, class Pass>
void each_block(const Rows<Number>& rows, std::int64_t ny, const Pass& pass) {
  Number* at = rows.first;
  for (std::int64_t ky = 0; ky <= ny; ky += rows.own, at += rows.distance) {
    pass(ky, std::min(rows.own, ny + 1 - ky), at);
  }
}

constexpr std::array loop_choices{
#if defined(__x86_64__)
    Choice{Isa::avx512, &loops_avx512},
    Choice{Isa::avx2, &loops_avx2},
#elif defined(__aarch64__)
    Choice{Isa::sve512, &loops_sve512},
    Choice{Isa::sve256, &loops_sve256},
#endif
    Choice{Isa::plain, &loops_plain},
};

}  // namespace

const Loops& loops() { return *widest(loop_choices); }

std::vector<const Loops*> available_loops() { return runnable(loop_choices); }

Plane::Plane(std::int64_t nx, std::int64_t ny, std::int64_t points_x, std::int64_t points_y,
             const fft::Kernels& kernels, const Loops& loops)
    : nx_(nx),
      ny_(ny),
      points_x_(points_x),
      points_y_(points_y),
      blocks_y_(blocks_of(points_y)),
      long_x_(points_x),
      long_y_(points_y),
      in_order_(static_cast<std::size_t>(std::max(points_x, eight * blocks_y_))),
      kernels_(&kernels),
      loops_(&loops) {
  std::iota(in_order_.begin(), in_order_.end(), 0);
}

std::int64_t Plane::gradients(std::int64_t points_x, std::int64_t points_y) { return points_x * blocks_of(points_y); }

double Plane::scratch_bytes(std::int64_t modes, std::int64_t points_x, std::int64_t points_y) {
  const std::int64_t blocks = blocks_of(points_y);
  const std::int64_t in_lanes = points_x * blocks + std::max(points_x, eight * blocks) + points_y;
  return static_cast<double>(sizeof(Lanes)) * static_cast<double>(in_lanes) +
         static_cast<double>(sizeof(Complex)) * static_cast<double>(modes);
}

Plane::Scratch::Scratch(const Plane& plane)
    : grid(static_cast<std::size_t>(plane.points_x_ * plane.blocks_y_)),
      line(static_cast<std::size_t>(std::max(plane.points_x_, eight * plane.blocks_y_))),
      mirror(static_cast<std::size_t>(plane.points_y_)),
      modes(static_cast<std::size_t>((2 * plane.nx_ + 1) * (plane.ny_ + 1))) {}

// Transforms from modes to y, into the grid's rows of kx.
void Plane::along_y(const Rows<const Complex>& h, Scratch& scratch) const {
  Lanes* x = scratch.line.data();
  const std::int64_t stride = 2 * nx_ + 1;
  for (std::int64_t kx = -nx_; kx <= nx_; kx += eight) {
    const auto width = static_cast<int>(std::min(eight, nx_ + 1 - kx));
    each_block(h, ny_, [&](std::int64_t ky, std::int64_t count, const Complex* rows) {
      // Load first the conjugate modes, from the rows of -kx except for ky = 0, then the modes of kx.
      const std::int64_t skipped = ky == 0 ? 1 : 0;
      const Complex* last = rows + (count - 1) * stride;
      kernels_->load(last + nx_ - (kx + width - 1), -stride, count - skipped, width, x + points_y_ - (ky + count - 1));
      kernels_->load(rows + nx_ + kx, stride, count, width, x + ky);
    });
    loops_->gradient(x, points_y_, ny_, kx, width);
    long_y_.run(*kernels_, x);
    const bool together = width == eight && (kx >= 0 || kx + eight <= 0);
    for (std::int64_t block = 0; block < blocks_y_; ++block) {
      const auto count = static_cast<int>(std::clamp(points_y_ - block * eight, std::int64_t{0}, eight));
      Lanes* to = scratch.grid.data() + block * points_x_;
      const std::int32_t* place = long_y_.place() + std::min(block * eight, points_y_);
      if (together) {
        kernels_->transpose(x, place, count, to + row(kx));
      } else {
        std::array<Lanes, fft::lanes> turned;
        kernels_->transpose(x, place, count, turned.data());
        for (int lane = 0; lane < width; ++lane) to[row(kx + lane)] = turned[static_cast<std::size_t>(lane)];
      }
    }
  }
}

// Transforms from kx to x, for a block of y.
Lanes* Plane::along_x(std::int64_t block, Scratch& scratch) const {
  Lanes* x = scratch.grid.data() + block * points_x_;
  std::fill(x + nx_ + 1, x + points_x_ - nx_, Lanes{});
  long_x_.run(*kernels_, x);
  return x;
}

void Plane::keep_psi(const Rows<const Complex>& psi, Gradients* out, Scratch& scratch) const {
  along_y(psi, scratch);
  for (std::int64_t block = 0; block < blocks_y_; ++block) {
    loops_->keep_psi(along_x(block, scratch), long_x_.place(), points_x_, out + block * points_x_);
  }
}

void Plane::keep_chi(const Rows<const Complex>& chi, Gradients* out, Scratch& scratch) const {
  along_y(chi, scratch);
  for (std::int64_t block = 0; block < blocks_y_; ++block) {
    loops_->keep_chi(along_x(block, scratch), long_x_.place(), points_x_, out + block * points_x_);
  }
}

void Plane::bracket(const Rows<const Complex>& h, const Gradients* of, double v, const Rows<Complex>& out,
                    Scratch& scratch) const {
  along_y(h, scratch);
  Lanes* both = scratch.line.data();
  const double scale = 1.0 / (static_cast<double>(points_x_) * static_cast<double>(points_y_));
  for (std::int64_t block = 0; block < blocks_y_; block += 2) {
    for (const bool second : {false, true}) {
      const std::int64_t at = block + (second ? 1 : 0);
      loops_->bracket(along_x(at, scratch), long_x_.place(), points_x_, of + at * points_x_, v, second, both);
    }
    long_x_.run(*kernels_, both);
    Lanes* to = scratch.grid.data() + block * points_x_;
    kernels_->apart(both, long_x_.place(), points_x_, nx_ + 1, scale, to, to + points_x_);
  }
  back_along_y(out, scratch);
}

// Transforms from y to modes, from the grid's rows of kx >= 0.
void Plane::back_along_y(const Rows<Complex>& out, Scratch& scratch) const {
  Lanes* x = scratch.line.data();
  const std::int64_t stride = 2 * nx_ + 1;
  for (std::int64_t kx = 0; kx <= nx_; kx += eight) {
    const auto width = static_cast<int>(std::min(eight, nx_ + 1 - kx));
    for (std::int64_t block = 0; block < blocks_y_; ++block) {
      kernels_->transpose(scratch.grid.data() + block * points_x_, in_order_.data() + kx, width, x + block * eight);
    }
    long_y_.run(*kernels_, x);
    loops_->mirror(x, long_y_.place(), points_y_, ny_ + 1, width, scratch.mirror.data());
    Complex* modes = scratch.modes.data() + nx_;
    kernels_->store(scratch.mirror.data(), in_order_.data(), ny_ + 1, width, stride, modes - (kx + width - 1), false);
    kernels_->store(x, long_y_.place(), ny_ + 1, width, stride, modes + kx, false);
  }
  // Copy everything at once; piece by piece, each of the target's cache lines would be waited for several times.
  each_block(out, ny_, [&](std::int64_t ky, std::int64_t count, Complex* rows) {
    std::copy_n(scratch.modes.data() + ky * stride, count * stride, rows);
  });
}

}  // namespace banzuke::gkv
