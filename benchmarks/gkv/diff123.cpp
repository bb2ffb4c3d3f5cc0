#include "diff123.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "core/team.hpp"
#include "kernel_choice.hpp"
#include "samples.hpp"

namespace banzuke::gkv {
namespace {

// The L2 cache of a core; what is common where the system does not tell.
std::int64_t cache_of_core() {
  const std::int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : std::int64_t{1} << 20U;
}

// Rows of a block, which has the planes of z that one call of `streaming` takes. Three quarters of the L2 cache hold
// six v of it, one of which is being prefetched, and two of the rows around it. Blocks are as equal as can be.
std::int64_t rows_of_block(const Shape& own, std::int64_t row) {
  const std::int64_t rows = cache_of_core() / 4 * 3 / (complex_bytes * row);
  const std::int64_t most = std::clamp<std::int64_t>((rows - 8 * together) / (6 * together + 10), 1, own.ky);
  const std::int64_t blocks = (own.ky + most - 1) / most;
  return (own.ky + blocks - 1) / blocks;
}

}  // namespace

Diff123::Diff123(const Params& params, const Communicator& ranks)
    : grid_(params),
      slab_(gkv::slab(shape_of(params), ranks.rank(), ranks.size())),
      kernels_(widest_kernels()),
      layout_(slab_.own, diff123_ghosts),
      out_layout_(slab_.own, {}, true),
      f_(static_cast<std::size_t>(2 * layout_.size())),
      out_(static_cast<std::size_t>(2 * out_layout_.size())) {
  fill({[](double x) { return polynomials123[0].value(x); }, [](double y) { return polynomials123[1].value(y); },
        [](double z) { return polynomials123[2].value(z / std::numbers::pi); },
        [](double v) { return polynomials123[3].value(v / Grid::most_velocity); }});
}

void Diff123::fill(const std::array<std::function<double(double)>, 4>& s) {
  const Shape& own = slab_.own;
  const Ghosts& around = diff123_ghosts;
  std::vector<double> along_x;
  std::vector<double> along_y;
  for (std::int64_t x = -around.x; x < own.kx + around.x; ++x) along_x.push_back(s[0](grid_.x(x)));
  for (std::int64_t y = -around.y; y < own.ky + around.y; ++y) along_y.push_back(s[1](grid_.y(y)));
  const auto fill_plane = [&](std::int64_t z, std::int64_t v, std::int64_t m) {
    const Value of_m = moment_value(m);
    const double factor = s[2](grid_.z(z)) * s[3](grid_.v(slab_.first_v + v));
    for (std::int64_t y = -around.y; y < own.ky + around.y; ++y) {
      double* row = f_.data() + 2 * layout_.at(y, z, v, m);
      const double with_y = factor * along_y[static_cast<std::size_t>(y + around.y)];
      for (std::int64_t x = -around.x; x < own.kx + around.x; ++x) {
        const double value = with_y * along_x[static_cast<std::size_t>(x + around.x)];
        row[2 * x] = of_m.re * value;
        row[2 * x + 1] = of_m.im * value;
      }
    }
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < own.z; ++z) {
    const std::int64_t begin = z == 0 ? -around.z : z;
    const std::int64_t end = z == own.z - 1 ? own.z + around.z : z + 1;
    for (std::int64_t m = 0; m < own.m; ++m) {
      for (std::int64_t v = -around.v; v < own.v + around.v; ++v) {
        for (std::int64_t at = begin; at < end; ++at) fill_plane(at, v, m);
      }
      for (std::int64_t v = 0; v < own.v; ++v) {
        std::fill_n(out_.data() + 2 * out_layout_.at(0, z, v, m), 2 * out_layout_.plane(),
                    std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
}

// Runs a parallel loop over z for each velocity.
void Diff123::as_written() {
  const Shape& own = slab_.own;
  const Steps steps{.y = 2 * layout_.row(), .z = 2 * layout_.plane(), .v = 2 * layout_.v()};
  const auto loop = kernels_.diff123[dimensions() - 1];
  for (std::int64_t m = 0; m < own.m; ++m) {
    for (std::int64_t v = 0; v < own.v; ++v) {
#pragma omp parallel for schedule(static)
      for (std::int64_t z = 0; z < own.z; ++z) {
        const Streaming c = grid_.streaming(z, slab_.first_v + v, m);
        for (std::int64_t y = 0; y < own.ky; ++y) {
          loop(out_.data() + 2 * out_layout_.at(y, z, v, m), f(y, z, v, m), steps, c, 2 * own.kx);
        }
      }
    }
  }
}

// Distributes blocks of ky and z over the threads. Each thread takes a block through all v, so that the neighbours
// along v stay in its L2 cache.
void Diff123::tuned() {
  const Shape& own = slab_.own;
  const auto loop = kernels_.streaming[dimensions() - 1];
  const std::int64_t rows = rows_of_block(own, layout_.row());
  const std::int64_t blocks_y = (own.ky + rows - 1) / rows;
  const std::int64_t blocks_z = (own.z + together - 1) / together;
#pragma omp parallel
  {
    for (std::int64_t m = 0; m < own.m; ++m) {
#pragma omp for schedule(static) nowait
      for (std::int64_t block = 0; block < blocks_y * blocks_z; ++block) {
        const std::int64_t y = block % blocks_y * rows;
        const std::int64_t begin = block / blocks_y * together;
        const std::int64_t end = std::min<std::int64_t>(begin + together, own.z);
        for (std::int64_t v = 0; v < own.v; ++v) {
          int planes = 0;
          for (std::int64_t z = begin; z < end; z += planes) {
            planes = end - z < together ? 1 : together;
            loop(streams(std::min(rows, own.ky - y), planes, {y, z, v, m}), 2 * out_layout_.row());
          }
        }
      }
    }
    kernels_.fence();
  }
}

// Returns the arguments of a call of `streaming` for `rows` rows and `planes` planes from the point (ky, z, v, m).
StreamingBlock Diff123::streams(std::int64_t rows, int planes, const std::array<std::int64_t, 4>& at) {
  const auto [y, z, v, m] = at;
  const Streaming c = grid_.streaming(z, slab_.first_v + v, m);
  const std::int64_t first = c.sign > 0 ? z : z + planes - 1;
  StreamingBlock block{.f = f(y, first, v, m),
                       .out = out_.data() + 2 * out_layout_.at(y, first, v, m),
                       .step_y = 2 * layout_.row(),
                       .step_z = c.sign * 2 * layout_.plane(),
                       .step_v = 2 * layout_.v(),
                       .out_step_y = 2 * out_layout_.row(),
                       .out_step_z = c.sign * 2 * out_layout_.plane(),
                       .rows = rows,
                       .planes = planes,
                       .x = {8.0 * c.x, -c.x},
                       .y = {8.0 * c.y, -c.y},
                       .v = {},
                       .z = {-2.0 * c.z, 15.0 * c.z + c.hyper, -60.0 * c.z - 4.0 * c.hyper, 20.0 * c.z + 6.0 * c.hyper,
                             30.0 * c.z - 4.0 * c.hyper, -3.0 * c.z + c.hyper}};
  for (int k = 0; k < planes; ++k) block.v[k] = 8.0 * grid_.streaming(first + k * c.sign, slab_.first_v + v, m).v;
  return block;
}

Times Diff123::run() {
  if (grid_.params().variant == "opt") {
    tuned();
  } else {
    as_written();
  }
  return {};
}

// Every point that differences reach is read once, and every result written once. Flops of the real and of the
// imaginary part: 6 for the difference along kx, and a product and an addition for each of the 4 rows read along ky, 6
// along z and 4 along v.
Work Diff123::work() const {
  const Shape& all = slab_.all;
  const auto points = static_cast<double>(all.points());
  const auto faces = [&](std::int64_t count, std::int64_t width) {
    return 2.0 * static_cast<double>(width) * points / static_cast<double>(count);
  };
  double read = points + faces(all.kx, diff123_ghosts.x);
  if (dimensions() > 1) read += faces(all.ky, diff123_ghosts.y);
  if (dimensions() > 2) read += faces(all.z, diff123_ghosts.z) + faces(all.v, diff123_ghosts.v);
  const std::array<double, 3> flops{6.0, 14.0, 34.0};
  const double loads = static_cast<double>(complex_bytes) * read;
  return {.counted = points,
          .demand = {{"memory.bytes", loads + static_cast<double>(complex_bytes) * points},
                     {"memory.loads", loads},
                     {"flops.fp64", 2.0 * flops[static_cast<std::size_t>(dimensions() - 1)] * points}}};
}

double Diff123::working_set() const {
  return static_cast<double>(complex_bytes) * static_cast<double>(layout_.size() + out_layout_.size());
}

}  // namespace banzuke::gkv
