#include "deal.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace banzuke::geofem {
namespace {

// Returns the call for a cube of one rank, like the rank's part where all are equal. On processors it is not much
// larger than the published one for each thread: that is far larger than caches, and set up in less than a second. On a
// device so few nodes would not show what it can do.
Params probed_cube(const Params& params) {
  constexpr double of_thread = 40.0 * 40.0 * 40.0;
  const Triple nodes = nodes_of(params);
  const Triple grid = grid_of(params);
  std::array<double, 3> part{};
  double all = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    part[d] = std::ceil(static_cast<double>(nodes[d]) / static_cast<double>(grid[d]));
    all *= part[d];
  }
  const bool on_device = memory(params, 1.0).device_footprint > 0.0;
  const double scale = on_device ? 1.0 : std::min(1.0, std::cbrt(of_thread * omp_get_max_threads() / all));
  const auto edge = [&](std::size_t d) { return std::max<std::int64_t>(2, std::llround(scale * part[d])); };
  Params out = params;
  out.nx = edge(0);
  out.ny = edge(1);
  out.nz = edge(2);
  out.px = out.py = out.pz = 1;
  out.deal = "equal";
  return out;
}

}  // namespace

std::vector<double> measure_rates(const Params& params, const Communicator& ranks) {
  constexpr std::int64_t at_once = 4;
  const Params own = probed_cube(params);
  Cube cube(own, ranks, ranks.rank());
  cube.solve(1);
  const double of_iteration = work(own).counted;
  return rates_at_once(
      [&]() -> Piece {
        const Outcome outcome = cube.solve(at_once);
        return {.work = of_iteration * static_cast<double>(outcome.iterations.size()), .seconds = outcome.seconds};
      },
      ranks);
}

Sharing share(Params& params, const Communicator& ranks) {
  if (params.deal == "equal") return {};
  const std::vector<double> rates = measure_rates(params, ranks);
  Sharing out{.sum = std::accumulate(rates.begin(), rates.end(), 0.0),
              .rates = rates_of_parts(rates, layer_of_rank(grid_of(params)))};
  if (params.deal == "rates") params.deal = deal_by_rates(out.rates);
  params = complete(params, ranks.size());  // refuses a part that is too large
  for (const Strip& planes : layers_of(params).strips) out.shares.push_back(static_cast<double>(planes.size()));
  return out;
}

}  // namespace banzuke::geofem
