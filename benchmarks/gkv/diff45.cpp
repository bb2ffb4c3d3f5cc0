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

// Modes that go through all velocities together, so few that the rows that `collisions` reads at four m stay in an L1
// cache of 32 KiB.
constexpr std::int64_t block_modes = 16 * line;

// Returns the coefficients of the sum of a second and a first difference, at +1, +2, -1 and -2 points.
std::array<double, 4> stencil(double second, double first) {
  return {16.0 * second + 8.0 * first, -second - first, 16.0 * second - 8.0 * first, -second + first};
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
  for (std::int64_t v = 0; v < slab_.own.v; ++v) {
    const Collision c = grid_.collision(0, slab_.first_v + v, 0);
    along_v_.push_back(stencil(c.second_v, c.first_v));
  }
  for (std::int64_t z = 0; z < slab_.own.z; ++z) {
    for (std::int64_t m = 0; m < slab_.own.m; ++m) {
      const Collision c = grid_.collision(z, slab_.first_v, m);
      const auto [up, up2, down, down2] = stencil(c.second_m, c.first_m);
      along_m_.push_back({c.centre - 30.0 * (c.second_v + c.second_m), up, up2, down, down2});
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

// Runs a parallel loop over z for each velocity, so that f is read from memory again for each of the five m.
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

// Distributes blocks of modes over the threads. Each thread takes a block through all velocities, some v at a time.
void Diff45::tuned() {
  const Shape& own = slab_.own;
  const std::int64_t blocks = (modes_.plane() + block_modes - 1) / block_modes;
  const std::int64_t step_v = 2 * layout_.v();
  const auto planes_at = [&](std::int64_t v) { return own.v - v < together ? 1 : together; };
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (std::int64_t at = 0; at < own.z * blocks; ++at) {
      const std::int64_t z = at / blocks;
      const std::int64_t first = at % blocks * block_modes;
      const std::int64_t after = std::min(at + 1, own.z * blocks - 1);
      const double* next_block = f(0, after / blocks, -2, 0) + 2 * (after % blocks * block_modes);
      int planes = 0;
      for (std::int64_t v = 0; v < own.v; v += planes) {
        planes = planes_at(v);
        const double* centre = f(0, z, v, 0) + 2 * first;
        const bool last = v + planes == own.v;
        CollisionBlock block{.f = centre,
                             .out = out_.data() + 2 * (out_layout_.at(0, z, v, 0) + first),
                             .step_v = step_v,
                             .step_m = 2 * layout_.m(),
                             .out_step_v = 2 * out_layout_.v(),
                             .out_step_m = 2 * out_layout_.m(),
                             .moments = own.m,
                             .planes = planes,
                             .of_v = {},
                             .of_m = along_m_[static_cast<std::size_t>(z * own.m)].data(),
                             .damp = damping_.data() + 2 * (modes_.at(0, z, 0, 0) + first),
                             .fresh = v == 0 ? centre - 2 * step_v : centre + 2 * step_v,
                             .fresh_planes = v == 0 ? planes + 4 : planes,
                             .next = last ? next_block : centre + (planes + 2) * step_v,
                             .next_planes = last ? planes_at(0) + 4 : planes_at(v + planes)};
        for (int k = 0; k < planes; ++k) {
          std::ranges::copy(along_v_[static_cast<std::size_t>(v + k)], std::begin(block.of_v[k]));
        }
        kernels_.collisions(block, 2 * std::min(block_modes, modes_.plane() - first));
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

// Every point that differences reach is read once, and every result written once. The real and the imaginary part each
// take nine products, eight additions and the subtraction of the damping.
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
