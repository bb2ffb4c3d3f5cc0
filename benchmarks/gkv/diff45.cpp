#include "diff45.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/team.hpp"
#include "kernel_choice.hpp"
#include "samples.hpp"

namespace banzuke::gkv {
namespace {

// Of a block of modes all m at six v are kept in the second cache: five that differences reach and one that is asked
// for. Three quarters of a megabyte fit that of most processors.
std::int64_t block_of(std::int64_t rows) {
  constexpr std::int64_t cache = 768 << 10;
  constexpr std::int64_t kept = 6;
  return std::max(cache / (kept * rows * complex_bytes) / line * line, 16 * line);
}

// Differences of Collision as one sum: centre, v + 1, v + 2, v - 1, v - 2, and the same along m.
Combination combination(const Collision& c) {
  Combination out{};
  const auto stencil = [&](int at, double second, double first) {
    out.c[at] = 16.0 * second + 8.0 * first;
    out.c[at + 1] = -second - first;
    out.c[at + 2] = 16.0 * second - 8.0 * first;
    out.c[at + 3] = -second + first;
  };
  out.c[0] = c.centre - 30.0 * (c.second_v + c.second_m);
  stencil(1, c.second_v, c.first_v);
  stencil(5, c.second_m, c.first_m);
  return out;
}

}  // namespace

Diff45::Diff45(const Params& params, const Communicator& ranks)
    : grid_(params),
      slab_(gkv::slab(shape_of(params), ranks.rank(), ranks.size())),
      kernels_(widest_kernels()),
      layout_(slab_.own, diff45_ghosts),
      out_layout_(slab_.own, {}),
      modes_({slab_.own.kx, slab_.own.ky, slab_.own.z, 1, 1}, {}),
      f_(static_cast<std::size_t>(2 * layout_.size())),
      out_(static_cast<std::size_t>(2 * out_layout_.size())),
      damping_(static_cast<std::size_t>(2 * modes_.size())) {
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < slab_.own.z; ++z) {
    for (std::int64_t y = 0; y < slab_.own.ky; ++y) {
      double* row = damping_.data() + 2 * modes_.at(y, z, 0, 0);
      for (std::int64_t x = 0; x < slab_.own.kx; ++x) row[2 * x] = row[2 * x + 1] = grid_.damping(x, y, z);
    }
  }
  fill([](double v, double p) {
    return along_v.value(v / Grid::most_velocity) * along_p.value(p / Grid::most_velocity);
  });
}

void Diff45::fill(const std::function<double(double, double)>& s) {
  const Shape& own = slab_.own;
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < own.z; ++z) {
    for (std::int64_t m = 0; m < own.m + diff45_ghosts.m; ++m) {
      for (std::int64_t v = -diff45_ghosts.v; v < own.v + diff45_ghosts.v; ++v) {
        const double factor = s(grid_.v(slab_.first_v + v), grid_.p(z, m));
        for (std::int64_t y = 0; y < own.ky; ++y) {
          double* row = f_.data() + 2 * layout_.at(y, z, v, m);
          for (std::int64_t x = 0; x < own.kx; ++x) {
            const Value g = mode_value(slab_.all, x, y, z);
            row[2 * x] = factor * g.re;
            row[2 * x + 1] = factor * g.im;
          }
        }
      }
    }
    for (std::int64_t m = 0; m < own.m; ++m) {
      for (std::int64_t v = 0; v < own.v; ++v) {
        std::fill_n(out_.data() + 2 * out_layout_.at(0, z, v, m), 2 * out_layout_.plane(),
                    std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
}

// A parallel loop over z for each velocity: f comes from memory again for each of the five m.
void Diff45::as_written() {
  const Shape& own = slab_.own;
  const std::int64_t step = 2 * layout_.v();
  for (std::int64_t m = 0; m < own.m; ++m) {
    for (std::int64_t v = 0; v < own.v; ++v) {
#pragma omp parallel for schedule(static)
      for (std::int64_t z = 0; z < own.z; ++z) {
        const Collision c = grid_.collision(z, slab_.first_v + v, m);
        for (std::int64_t y = 0; y < own.ky; ++y) {
          const std::array others{f(y, z, v, m - 2), f(y, z, v, m - 1), f(y, z, v, m + 1), f(y, z, v, m + 2)};
          kernels_.diff45(out_.data() + 2 * out_layout_.at(y, z, v, m), f(y, z, v, m), step, others.data(),
                          damping_.data() + 2 * modes_.at(y, z, 0, 0), c, 2 * own.kx);
        }
      }
    }
  }
}

// Threads share the modes, and each takes a block of them through all velocities, the moments innermost because they
// are fewer.
void Diff45::tuned() {
  const Shape& own = slab_.own;
  const std::int64_t block = block_of(own.m + diff45_ghosts.m);
  const std::int64_t blocks = (modes_.plane() + block - 1) / block;
  const std::int64_t step = 2 * layout_.v();
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (std::int64_t at = 0; at < own.z * blocks; ++at) {
      const std::int64_t z = at / blocks;
      const std::int64_t first = at % blocks * block;
      const std::int64_t count = 2 * std::min(block, modes_.plane() - first);
      for (std::int64_t v = 0; v < own.v; ++v) {
        for (std::int64_t m = 0; m < own.m; ++m) {
          Combination row = combination(grid_.collision(z, slab_.first_v + v, m));
          const double* centre = f(0, z, v, m) + 2 * first;
          const std::array<const double*, rows45> in{centre,
                                                     centre + step,
                                                     centre + 2 * step,
                                                     centre - step,
                                                     centre - 2 * step,
                                                     f(0, z, v, m + 1) + 2 * first,
                                                     f(0, z, v, m + 2) + 2 * first,
                                                     f(0, z, v, m - 1) + 2 * first,
                                                     f(0, z, v, m - 2) + 2 * first};
          std::ranges::copy(in, std::begin(row.in));
          row.damp = damping_.data() + 2 * (modes_.at(0, z, 0, 0) + first);
          row.ahead = f(0, z, v + 2, m + 2) + 2 * first;
          kernels_.combine45(out_.data() + 2 * (out_layout_.at(0, z, v, m) + first), row, count);
        }
      }
    }
    kernels_.fence();
  }
}

Times Diff45::run() {
  if (grid_.params().variant == "opt") {
    tuned();
  } else {
    as_written();
  }
  return {};
}

// Every point that differences reach is read once, every result written once. The differences as one sum: nine
// products, eight additions and the subtraction of the damping for either part.
Work Diff45::work() const {
  const Shape& all = slab_.all;
  const std::int64_t modes = all.modes() * all.z;
  const std::int64_t read = modes * (all.v * (all.m + diff45_ghosts.m) + 2 * diff45_ghosts.v * all.m);
  const double loads = static_cast<double>(complex_bytes) * static_cast<double>(read);
  const auto points = static_cast<double>(all.points());
  return {.counted = points,
          .demand = {{"memory.bytes", loads + static_cast<double>(complex_bytes) * points},
                     {"memory.loads", loads},
                     {"flops.fp64", 36.0 * points}}};
}

double Diff45::working_set() const {
  return static_cast<double>(complex_bytes) * static_cast<double>(layout_.size() + out_layout_.size());
}

}  // namespace banzuke::gkv
