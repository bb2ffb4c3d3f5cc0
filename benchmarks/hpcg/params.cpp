#include <algorithm>
#include <array>
#include <string>

#include "grid.hpp"
#include "hpcg.hpp"

namespace banzuke::hpcg {
namespace {

constexpr std::int64_t grain = 1 << (levels - 1);  // so that every level has whole points
constexpr std::int64_t least = 2 * grain;
constexpr std::int64_t aspect = 8;

std::string text(std::int64_t x, std::int64_t y, std::int64_t z) {
  return std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z);
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  constexpr Parameters::Range points{.min = 1, .max = 10'000};
  constexpr Parameters::Range procs{.min = 0, .max = 10'000'000};
  parameters.add("nx", params.nx, "points of a rank's box in x: a multiple of 8, at least 16", points);
  parameters.add("ny", params.ny, "points of a rank's box in y", points);
  parameters.add("nz", params.nz, "points of a rank's box in z", points);
  parameters.add("px", params.px, "ranks in x; 0: chosen; with 0 0 0 the grid is HPCG 3.1's", procs);
  parameters.add("py", params.py, "ranks in y", procs);
  parameters.add("pz", params.pz, "ranks in z", procs);
  parameters.add("seconds", params.seconds, "how long the timed sets shall take; officially at least 1800",
                 {.min = 0.0, .max = 1e6});
  parameters.add("ordering", params.ordering,
                 "rows of which smoothing takes at once: levels of dependency keep the official order, colours are few "
                 "and large",
                 {"levels", "colours"});
}

double footprint(const Params& p) {
  // By point of the finest level: the reference's matrix and the optimised one, vectors, lists; 8/7 for all levels.
  constexpr double reference = 27 * 12 + 8 + 3 * 8 + 4;
  constexpr double optimised = 1.05 * 27 * 10.5 + 6 * 8 + 4 * 4 + 27 * 10.5 / 8.0;
  constexpr double finest = 6 * 8 + 90;  // vectors, and what storing one part of the matrix takes for a while
  const double points = static_cast<double>(p.nx) * static_cast<double>(p.ny) * static_cast<double>(p.nz);
  return points * ((reference + optimised) * 8.0 / 7.0 + finest);
}

void check(const Params& p, int ranks) {
  const std::array<std::int64_t, 3> size{p.nx, p.ny, p.nz};
  const std::int64_t longest = *std::ranges::max_element(size);
  std::array<std::int64_t, 3> below{};
  std::array<std::int64_t, 3> above{};
  for (std::size_t i = 0; i < 3; ++i) {
    below[i] = std::max(least, size[i] / grain * grain);
    above[i] = std::max(least, (size[i] + grain - 1) / grain * grain);
    // The shortest side that the longest allows.
    const std::int64_t shortest = (longest + aspect * grain - 1) / (aspect * grain) * grain;
    below[i] = std::max(below[i], shortest);
    above[i] = std::max(above[i], shortest);
  }
  if (size != below) {
    const std::string down = text(below[0], below[1], below[2]);
    const std::string up = text(above[0], above[1], above[2]);
    throw UsageError("nx, ny, nz: HPCG's rules allow no box of " + text(p.nx, p.ny, p.nz) +
                     ": each side is a multiple of 8, at least 16 and at least an eighth of the longest. Nearest: " +
                     down + (up == down ? "" : " or " + up));
  }
  if (static_cast<double>(p.nx) * static_cast<double>(p.ny) * static_cast<double>(p.nz) > 2.0e9) {
    throw UsageError("nx, ny, nz: a rank takes at most 2e9 points; use more ranks");
  }
  const Grid grid(p, 0, ranks);
  const auto [px, py, pz] = grid.procs;
  const bool fits = (p.px == 0 || p.px == px) && (p.py == 0 || p.py == py) && (p.pz == 0 || p.pz == pz);
  if (!fits || px * py * pz != ranks) {
    const auto chosen = process_grid(ranks, {0, 0, 0});
    throw UsageError("px, py, pz: no grid of " + text(p.px, p.py, p.pz) + " processes (0: any) has " +
                     std::to_string(ranks) + " ranks; with 0 0 0 it would be " + text(chosen[0], chosen[1], chosen[2]));
  }
  const auto [fewest, most] = std::minmax({px, py, pz});
  if (aspect * fewest < most) {
    throw UsageError("px, py, pz: HPCG's rules allow no grid of " + text(px, py, pz) +
                     " processes: each side is at least an eighth of the longest. Take a number of ranks that is a " +
                     "product of such sides, e.g. a power of two, with more threads each");
  }
}

Flops flops(const Extent& whole, std::int64_t iterations) {
  const auto n = static_cast<double>(iterations);
  Flops out;
  out.dot = (3.0 * n + 1.0) * 2.0 * whole.points();
  out.waxpby = out.dot;
  out.spmv = (n + 1.0) * 2.0 * whole.nonzeros();
  for (int level = 0; level < levels; ++level) {
    // Two smoothings of two sweeps and a product, but one smoothing on the coarsest.
    const double passes = level + 1 < levels ? 10.0 : 4.0;
    out.mg += n * passes * whole.coarser(level).nonzeros();
  }
  return out;
}

Traffic traffic(const Extent& whole, std::int64_t iterations) {
  const auto n = static_cast<double>(iterations);
  const auto entries = [&](int level) {
    return 10.5 * (whole.coarser(level).nonzeros() - whole.coarser(level).points());
  };
  Traffic out;
  const auto vectors = [&](int level, double times, double reads, double writes) {
    const double one = 8.0 * times * whole.coarser(level).points();
    out.loads += reads * one;
    out.stores += writes * one;
  };
  out.loads += (n + 1.0) * entries(0);
  vectors(0, n + 1.0, 2, 1);  // the product: d, x; y
  vectors(0, n, 2 + 4, 1 + 2);  // p = z + beta p; x and r with p and A p: dot products may ride on other passes
  for (int level = 0; level < levels; ++level) {
    out.loads += n * entries(level);
    vectors(level, n, 2 + 3, 1 + 1);  // from zero: d, r; x forwards; d, later, x; x backwards
    if (level + 1 == levels) continue;
    // At an eighth of the points: the residual, of earlier stages' entries; the correction; and its entries of later
    // stages in the sweep forwards.
    out.loads += n * (entries(level) / 16.0 + entries(level) / 16.0);
    vectors(level + 1, n, 4 + 2, 1 + 1);
    out.loads += n * entries(level);
    vectors(level, n, 3 + 3, 2 + 1);  // d, r, later; known, x forwards; d, known, x; x backwards
  }
  return out;
}

}  // namespace banzuke::hpcg
