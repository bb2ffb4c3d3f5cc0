#include "deal.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "solver.hpp"

namespace banzuke::hpcg {
namespace {

Triple box_of(const Params& params) { return {params.nx, params.ny, params.nz}; }
Triple grid_of(const Params& params) { return {params.px, params.py, params.pz}; }

Params with_box(Params params, const Triple& box) {
  params.nx = box[0];
  params.ny = box[1];
  params.nz = box[2];
  return params;
}

std::vector<double> given(const Params& params) { return given_shares(params.deal, "layer of ranks"); }

std::vector<std::int64_t> planes_of(const std::vector<Strip>& strips) {
  std::vector<std::int64_t> planes;
  planes.reserve(strips.size());
  for (const Strip& strip : strips) planes.push_back(strip.size());
  return planes;
}

// Returns the planes of each layer if only the shares mattered.
std::vector<std::int64_t> planes_wanted(std::int64_t planes, const std::vector<double>& shares) {
  return planes_of(shares_of_units(planes, grain, {.least = 0, .most = planes}, shares));
}

// Returns the numbers as a value of `deal`.
std::string ratios(const std::vector<std::int64_t>& planes) {
  std::string out;
  for (const std::int64_t number : planes) {
    if (!out.empty()) out += ':';
    out += std::to_string(number);
  }
  return out;
}

// Returns the call for a box of one rank, like its part where all are equal. On processors it is not much larger than
// 64^3 points, or 40^3 for each of many threads: that is larger than most caches, and set up in a second or two. On a
// device so few points would not show what it can do.
Params probed_box(const Params& params) {
  constexpr double least = 64.0 * 64.0 * 64.0;
  constexpr double of_thread = 40.0 * 40.0 * 40.0;
  const double enough = std::max(least, of_thread * omp_get_max_threads());
  const bool on_device = memory(params, 1).device_footprint > 0.0;
  const double scale = on_device ? 1.0 : std::min(1.0, std::cbrt(enough / params.points()));
  Triple box = box_of(params);
  for (std::int64_t& side : box) side = std::llround(scale * static_cast<double>(side));
  Params out = with_box(params, legal(box, false));
  out.px = out.py = out.pz = 1;
  out.deal = "equal";
  return out;
}

}  // namespace

Layers layers_of(const Params& params, const Triple& procs) {
  const std::size_t axis = dealt_axis(procs);
  const std::vector<double> shares = given(params);
  if (shares.empty()) return {.axis = axis};
  const Triple box = box_of(params);
  return {.axis = axis, .strips = shares_of_units(box[axis] * procs[axis], grain, planes_allowed(box, axis), shares)};
}

void check_deal(const Params& params, int ranks) {
  const std::vector<double> shares = given(params);
  if (params.deal != "equal" && ranks == 1) {
    throw UsageError("deal: one rank has nobody to share the points with", {}, "deal");
  }
  const Triple grid = grid_of(params);
  const std::size_t axis = dealt_axis(grid);
  std::vector<Json::Object> nearest;
  if (std::cmp_equal(shares.size(), ranks) && ranks <= most_aspect) {
    nearest.push_back({{"px", 1}, {"py", 1}, {"pz", ranks}});
  }
  check_shares(params.deal, shares.size(), grid[axis], "layers of ranks", nearest);
  if (shares.empty()) return;
  const Limits allowed = planes_allowed(box_of(params), axis);
  const auto wanted = planes_wanted(box_of(params)[axis] * grid[axis], shares);
  const auto had = planes_of(layers_of(params, grid).strips);
  if (wanted == had) return;
  throw UsageError("deal: " + params.deal + " gives the layers of ranks " + ratios(wanted) +
                       " planes, but HPCG's rules allow each of these boxes " + std::to_string(allowed.least) + " to " +
                       std::to_string(allowed.most),
                   {{{"deal", ratios(had)}}});
}

Problem memory_of_largest(const Params& params, int ranks) {
  const auto [axis, strips] = layers_of(params, grid_of(params));
  Triple box = box_of(params);
  box[axis] = std::ranges::max(planes_of(strips));
  try {
    return memory(with_box(params, box), ranks);
  } catch (const UsageError& error) {
    throw UsageError("deal: the largest box is too large: " + std::string(error.what()), {{{"deal", "equal"}}});
  }
}

std::vector<double> measure_rates(const Params& params, const Communicator& ranks) {
  constexpr std::int64_t at_once = 4;
  const Params own = probed_box(params);
  const SubCommunicator alone(ranks, ranks.rank(), 0);
  const Grid grid(own, 0, 1);
  Solver solver(alone, Plain(alone, grid), own.ordering);
  solver.solve(1, 0.0);
  const double work = flops(grid.whole(), at_once).total();
  return rates_at_once(
      [&]() -> Piece {
        const double start = now();
        solver.solve(at_once, 0.0);
        return {.work = work, .seconds = now() - start};
      },
      ranks);
}

Sharing share_planes(Params& params, const Communicator& ranks) {
  if (params.deal == "equal") return {};
  Context::step("rates of the ranks");
  const Triple grid = grid_of(params);
  const std::vector<double> rates = measure_rates(params, ranks);
  Sharing out{.sum = std::accumulate(rates.begin(), rates.end(), 0.0),
              .rates = rates_of_parts(rates, layer_of_rank(grid))};
  std::vector<std::int64_t> planes(out.rates.size(), 1);  // of which each has as many
  if (params.deal == "rates") params.deal = deal_by_rates(out.rates);
  if (params.deal != "equal") {
    const Layers layers = layers_of(params, grid);
    planes = planes_of(layers.strips);
    out.limited = planes != planes_wanted(layers.strips.back().end, given(params));
    params.deal = ratios(planes);
    problem(params, ranks.size());  // refuses a box that is too large
  }
  out.shares.assign(planes.begin(), planes.end());
  return out;
}

}  // namespace banzuke::hpcg
