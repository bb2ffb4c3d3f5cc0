#include "intgrl.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/team.hpp"
#include "kernel_choice.hpp"
#include "samples.hpp"

namespace banzuke::gkv {
namespace {

// The integral is the sum over m = 1, 2, ... plus the first terms of the Euler-Maclaurin series at m = 0, where the
// integrand is an odd function of m: 1/12 of its slope and -1/720 of its third derivative. Both are taken from m = 1
// and 2; these are the shares of the two values.
constexpr double first_share = 1.0 / 12.0 + 2.0 * 11.0 / 720.0;
constexpr double second_share = -11.0 / 720.0;

// Complex numbers of a block of modes that is summed over all velocities. Its sums stay in the L2 cache; it is no
// shorter because the hardware prefetcher needs long runs.
constexpr std::int64_t block = 4096;

}  // namespace

Intgrl::Intgrl(const Params& params, const Communicator& ranks)
    : grid_(params),
      slab_(gkv::slab(shape_of(params), ranks.rank(), ranks.size())),
      kernels_(widest_kernels()),
      layout_(slab_.own, intgrl_ghosts),
      modes_({slab_.own.kx, slab_.own.ky, slab_.own.z, 1, 1}, {}),
      f_(static_cast<std::size_t>(2 * layout_.size())),
      moment_(static_cast<std::size_t>(2 * modes_.size())),
      average_(static_cast<std::size_t>(2 * modes_.plane())) {
  fill([&](std::int64_t z, std::int64_t v, std::int64_t m) { return velocity_value(slab_.all, z, v, m); });
}

void Intgrl::fill(const std::function<double(std::int64_t, std::int64_t, std::int64_t)>& s) {
  const Shape& own = slab_.own;
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < own.z; ++z) {
    std::fill_n(moment_.data() + 2 * modes_.at(0, z, 0, 0), 2 * modes_.plane(),
                std::numeric_limits<double>::quiet_NaN());
    for (std::int64_t m = 0; m < own.m; ++m) {
      for (std::int64_t v = 0; v < own.v; ++v) {
        const double factor = s(z, slab_.first_v + v, m);
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
  }
}

// Runs a parallel loop over z for each velocity, so that the sums pass through the caches each time.
void Intgrl::as_written() {
  const Shape& own = slab_.own;
  const auto add = [&](std::int64_t z, std::int64_t v, std::int64_t m, double weight) {
    for (std::int64_t y = 0; y < own.ky; ++y) {
      kernels_.intgrl(moment_.data() + 2 * modes_.at(y, z, 0, 0), f_.data() + 2 * layout_.at(y, z, v, m), weight,
                      2 * own.kx);
    }
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < own.z; ++z)
    std::fill_n(moment_.data() + 2 * modes_.at(0, z, 0, 0), 2 * modes_.plane(), 0.0);
  for (std::int64_t m = 1; m < own.m; ++m) {
    for (std::int64_t v = 0; v < own.v; ++v) {
#pragma omp parallel for schedule(static)
      for (std::int64_t z = 0; z < own.z; ++z) add(z, v, m, grid_.weight(z, slab_.first_v + v, m));
    }
  }
  for (std::int64_t v = 0; v < own.v; ++v) {
#pragma omp parallel for schedule(static)
    for (std::int64_t z = 0; z < own.z; ++z) {
      add(z, v, 1, first_share * grid_.weight(z, slab_.first_v + v, 1));
      add(z, v, 2, second_share * grid_.weight(z, slab_.first_v + v, 2));
    }
  }
}

// Distributes blocks of modes over the threads. Each thread sums a block over all velocities, so that f is read once
// and nothing else is transferred.
void Intgrl::tuned() {
  const Shape& own = slab_.own;
  const std::int64_t blocks = (modes_.plane() + block - 1) / block;
  constexpr std::int64_t rows = 4;
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < own.z * blocks; ++at) {
    const std::int64_t z = at / blocks;
    const std::int64_t first = at % blocks * block;
    const std::int64_t count = 2 * std::min(block, modes_.plane() - first);
    double* sum = moment_.data() + 2 * (modes_.at(0, z, 0, 0) + first);
    std::fill_n(sum, count, 0.0);
    for (std::int64_t m = 1; m < own.m; ++m) {
      const double share = 1.0 + (m == 1 ? first_share : m == 2 ? second_share : 0.0);
      for (std::int64_t v = 0; v < own.v; v += rows) {
        std::array<const double*, rows> f{};
        std::array<double, rows> weight{};
        for (std::int64_t k = 0; k < rows; ++k) {
          const std::int64_t other = std::min(v + k, own.v - 1);  // the last groups may have fewer than `rows`
          f[static_cast<std::size_t>(k)] = f_.data() + 2 * (layout_.at(0, z, other, m) + first);
          weight[static_cast<std::size_t>(k)] = v + k < own.v ? share * grid_.weight(z, slab_.first_v + other, m) : 0.0;
        }
        kernels_.add(sum, f.data(), weight.data(), count);
      }
    }
  }
}

void Intgrl::average() {
  const Shape& own = slab_.own;
  double all = 0.0;
  for (std::int64_t z = 0; z < own.z; ++z) all += grid_.jacobian(z);
#pragma omp parallel for schedule(static)
  for (std::int64_t y = 0; y < own.ky; ++y) {
    double* row = average_.data() + 2 * modes_.at(y, 0, 0, 0);
    std::fill_n(row, 2 * own.kx, 0.0);
    for (std::int64_t z = 0; z < own.z; ++z) kernels_.intgrl(row, moment(y, z), grid_.jacobian(z) / all, 2 * own.kx);
  }
}

Times Intgrl::run() {
  if (grid_.params().variant == "opt") {
    tuned();
  } else {
    as_written();
  }
  average();
  return {};
}

// f at m = 0 has no weight, so it is not read. Each complex number takes two multiplications and two additions.
Work Intgrl::work() const {
  const std::int64_t of_moment = slab_.all.points() / slab_.all.m;
  const auto read = static_cast<double>(of_moment * (slab_.all.m - 1));
  const double bytes = static_cast<double>(complex_bytes) * read;
  return {.counted = static_cast<double>(slab_.all.points()),
          .demand = {{"memory.bytes", bytes}, {"memory.loads", bytes}, {"flops.fp64", 4.0 * read}}};
}

double Intgrl::working_set() const { return static_cast<double>(complex_bytes) * static_cast<double>(layout_.size()); }

}  // namespace banzuke::gkv
