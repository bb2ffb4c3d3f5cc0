#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "deal.hpp"
#include "grid.hpp"
#include "hpcg.hpp"

namespace banzuke::hpcg {
namespace {

constexpr std::int64_t least = 2 * grain;

std::string text(const Triple& t) {
  return std::to_string(t[0]) + " x " + std::to_string(t[1]) + " x " + std::to_string(t[2]);
}

constexpr double most_points = 2.0e9;  // of a rank, because row numbers have 32 bits

// Returns the number of points as a double, which cannot overflow.
double count(const Triple& box) {
  return static_cast<double>(box[0]) * static_cast<double>(box[1]) * static_cast<double>(box[2]);
}

// Returns the shortest side that a box with such a longest one may have.
std::int64_t shortest_beside(std::int64_t longest) {
  return std::max(least, (longest + most_aspect * grain - 1) / (most_aspect * grain) * grain);
}

void check_box(const Triple& size) {
  const auto values = [](const Triple& box) { return Json::Object{{"nx", box[0]}, {"ny", box[1]}, {"nz", box[2]}}; };
  if (count(size) > most_points) {
    const double scale = std::cbrt(most_points / count(size));
    Triple smaller{};
    for (std::size_t i = 0; i < 3; ++i) smaller[i] = static_cast<std::int64_t>(scale * static_cast<double>(size[i]));
    smaller = legal(smaller, false);
    throw UsageError(
        "nx, ny, nz: a rank takes at most 2e9 points, but " + text(size) + " are more; use more ranks",
        count(smaller) <= most_points ? std::vector<Json::Object>{values(smaller)} : std::vector<Json::Object>{});
  }
  const Triple below = legal(size, false);
  const Triple above = legal(size, true);
  if (size == below) return;
  std::vector<Json::Object> nearest{values(below)};
  if (above != below) nearest.push_back(values(above));
  throw UsageError("nx, ny, nz: HPCG's rules allow no local grid of " + text(size) + ": each side is a multiple of " +
                       std::to_string(grain) + ", at least " + std::to_string(least) + " and at least 1/" +
                       std::to_string(most_aspect) + " of the longest",
                   std::move(nearest));
}

bool balanced(const Triple& grid) {
  const auto [fewest, most] = std::ranges::minmax(grid);
  return most_aspect * fewest >= most;
}

Triple checked_grid(const Params& p, int ranks) {
  const Triple asked{p.px, p.py, p.pz};
  const Triple grid = process_grid(ranks, asked);
  const Triple chosen = process_grid(ranks, {});
  const bool fits = product(grid) == ranks && std::ranges::equal(asked, grid, [](auto wanted, auto made) {
                      return wanted == 0 || wanted == made;
                    });
  if (fits && balanced(grid)) return grid;

  std::vector<Json::Object> nearest;
  const double made = count(asked);
  if (made > 0.0 && made != ranks && made <= std::numeric_limits<int>::max() && balanced(asked)) {
    nearest.push_back({{"ranks", product(asked)}});
  }
  if (balanced(chosen)) {
    nearest.push_back({{"px", 0}, {"py", 0}, {"pz", 0}});
  } else if (nearest.empty()) {
    int fewer = ranks - 1;  // a single rank always has a grid
    while (!balanced(process_grid(fewer, {}))) --fewer;
    nearest.push_back({{"ranks", fewer}});
    if (asked != Triple{}) nearest.back().insert(nearest.back().end(), {{"px", 0}, {"py", 0}, {"pz", 0}});
  }
  if (!fits) {
    throw UsageError("px, py, pz: no grid of " + text(asked) + " processes (0: chosen) has " + std::to_string(ranks) +
                         (ranks == 1 ? " rank" : " ranks"),
                     std::move(nearest));
  }
  throw UsageError("px, py, pz: HPCG's rules allow no grid of " + text(grid) + " processes: each side is at least 1/" +
                       std::to_string(most_aspect) + " of the longest",
                   std::move(nearest));
}

}  // namespace

Triple legal(const Triple& size, bool up) {
  const std::int64_t shortest = shortest_beside(*std::ranges::max_element(size));
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = std::max(shortest, (size[i] + (up ? grain - 1 : 0)) / grain * grain);
  return out;
}

Limits planes_allowed(const Triple& box, std::size_t axis) {
  const std::int64_t wide = box[(axis + 1) % 3];
  const std::int64_t high = box[(axis + 2) % 3];
  const auto numbered = static_cast<std::int64_t>(most_points) / (wide * high) / grain * grain;
  return {.least = shortest_beside(std::max(wide, high)),
          .most = std::min(most_aspect * std::min(wide, high), numbered)};
}

void declare(Parameters& parameters, Params& params) {
  constexpr Parameters::Range points{.min = 1, .max = 10'000};
  constexpr Parameters::Range procs{.min = 0, .max = 10'000'000};
  parameters.add("nx", params.nx, "points of a rank's box in x: a multiple of 8, at least 16", points);
  parameters.add("ny", params.ny, "points of a rank's box in y", points);
  parameters.add("nz", params.nz, "points of a rank's box in z", points);
  parameters.add("px", params.px, "ranks in x; 0: chosen; with 0 0 0 the grid is HPCG 3.1's", procs);
  parameters.add("py", params.py, "ranks in y", procs);
  parameters.add("pz", params.pz, "ranks in z", procs);
  parameters.add("seconds", params.seconds, "length of the timed sets in seconds; officially at least 1800",
                 {.min = 0.0, .max = 1e6});
  parameters.add("ordering", params.ordering,
                 "which rows the smoother takes at once: levels of dependency, as in the official order, or colours, "
                 "which are fewer and larger",
                 orderings());
  parameters.add(
      "deal", params.deal,
      "how planes of points are dealt to the layers of ranks across the axis with most ranks: equally "
      "(equal, as the official rules ask), by the rates that their ranks are measured to have (rates), or in "
      "shares that are given, one for each (1:3)");
  parameters.add("messages", params.messages,
                 "on devices: the memory from which neighbours get their values; device: MPI gets its addresses",
                 {"host", "device"});
}

void settle(Parameters& parameters, const Params& /*params*/) {
  for (const char* name : {"deal", "messages"}) {
    if (!parameters.given(name)) parameters.unused(name, "");
  }
}

Problem problem(Params& p, int ranks) {
  const Triple box{p.nx, p.ny, p.nz};
  check_box(box);
  const Triple grid = checked_grid(p, ranks);
  p.px = grid[0];
  p.py = grid[1];
  p.pz = grid[2];
  check_deal(p, ranks);
  const Extent whole{p.nx * p.px, p.ny * p.py, p.nz * p.pz};
  Problem out = memory(p, ranks);
  if (!layers_of(p, grid).strips.empty()) out = memory_of_largest(p, ranks);
  out.facts = {{"px", p.px}, {"py", p.py}, {"pz", p.pz}, {"equations", whole.points()}, {"nonzeros", whole.nonzeros()}};
  return out;
}

Flops flops(const Extent& whole, std::int64_t iterations) {
  const auto n = static_cast<double>(iterations);
  Flops out;
  out.dot = (3.0 * n + 1.0) * 2.0 * whole.points();
  out.waxpby = out.dot;
  out.spmv = (n + 1.0) * 2.0 * whole.nonzeros();
  for (int level = 0; level < levels; ++level) {
    // Two smoothing steps of two sweeps each and a product; on the coarsest level only one smoothing step.
    const double passes = level + 1 < levels ? 10.0 : 4.0;
    out.mg += n * passes * whole.coarser(level).nonzeros();
  }
  return out;
}

Traffic traffic(const Extent& whole, std::int64_t iterations) {
  const auto n = static_cast<double>(iterations);
  const auto entries = [&](int level) {
    return entry_bytes() * (whole.coarser(level).nonzeros() - whole.coarser(level).points());
  };
  Traffic out;
  const auto vectors = [&](int level, double times, double reads, double writes) {
    const double one = 8.0 * times * whole.coarser(level).points();
    out.loads += reads * one;
    out.stores += writes * one;
  };
  out.loads += (n + 1.0) * entries(0);
  vectors(0, n + 1.0, 2, 1);    // the product: d, x; y
  vectors(0, n, 2 + 4, 1 + 2);  // p = z + beta p; x and r with p and A p. Dot products may be fused with other passes
  for (int level = 0; level < levels; ++level) {
    out.loads += n * entries(level);
    vectors(level, n, 2 + 3, 1 + 1);  // from x = 0. Forward: read d, r, write x; backward: read d, later, x, write x
    if (level + 1 == levels) continue;
    // At an eighth of the points: the residual, which reads the entries of earlier stages, and the correction, whose
    // entries of later stages the next forward sweep reads.
    out.loads += n * (entries(level) / 16.0 + entries(level) / 16.0);
    vectors(level + 1, n, 4 + 2, 1 + 1);
    out.loads += n * entries(level);
    vectors(level, n, 3 + 3, 2 + 1);  // forward: read d, r, later, write known, x; backward: read d, known, x, write x
  }
  return out;
}

}  // namespace banzuke::hpcg
