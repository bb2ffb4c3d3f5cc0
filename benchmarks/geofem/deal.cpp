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
  constexpr double long_enough = 0.5;  // s: many turns of the scheduler and periods of a quota
  constexpr std::int64_t at_once = 4;
  const Params own = probed_cube(params);
  Cube cube(own, ranks, ranks.rank());
  cube.solve(1);
  ranks.barrier();
  double seconds = 0.0;
  double iterations = 0.0;
  while (seconds < long_enough) {
    const Outcome outcome = cube.solve(at_once);
    seconds += outcome.seconds;
    iterations += static_cast<double>(outcome.iterations.size());
  }
  std::vector<double> rates(static_cast<std::size_t>(ranks.size()));
  rates[static_cast<std::size_t>(ranks.rank())] = work(own).counted * iterations / seconds;
  ranks.sum(rates);
  return rates;
}

std::vector<std::size_t> layer_of_rank(const Params& params, int ranks) {
  const Triple grid = grid_of(params);
  const std::size_t axis = dealt_axis(grid);
  std::int64_t before = 1;  // ranks from one layer to the next
  for (std::size_t d = 0; d < axis; ++d) before *= grid[d];
  std::vector<std::size_t> layers(static_cast<std::size_t>(ranks));
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    layers[static_cast<std::size_t>(rank)] = static_cast<std::size_t>(rank / before % grid[axis]);
  }
  return layers;
}

Sharing share(Params& params, const Communicator& ranks) {
  if (params.deal == "equal") return {};
  const std::vector<double> rates = measure_rates(params, ranks);
  Sharing out{.sum = std::accumulate(rates.begin(), rates.end(), 0.0),
              .rates = rates_of_parts(rates, layer_of_rank(params, ranks.size()))};
  if (params.deal == "rates") params.deal = deal_by_rates(out.rates);
  params = complete(params, ranks.size());  // refuses a part that is too large
  for (const Strip& planes : layers_of(params).strips) out.shares.push_back(static_cast<double>(planes.size()));
  return out;
}

}  // namespace banzuke::geofem
