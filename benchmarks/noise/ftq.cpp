#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "figures.hpp"
#include "gather.hpp"

namespace banzuke::noise {

namespace {

// Returns the lost share; all of it if no chunk was done in any interval.
double lost(double missing, double possible) { return possible > 0.0 ? missing / possible : 1.0; }

}  // namespace

void add_fixed_time(const Communicator& ranks, const std::vector<Lane>& lanes, Result& result) {
  std::array<double, 2> sums{};  // chunks that could have been done, and that were not
  std::vector<double> shares;
  std::vector<double> losses;  // each in the worst interval
  double wrong = 0.0;
  for (const auto& lane : lanes) {
    const auto [least, most] = std::ranges::minmax(lane.samples);
    const std::int64_t done = std::accumulate(lane.samples.begin(), lane.samples.end(), std::int64_t{0});
    const double possible = static_cast<double>(most) * static_cast<double>(lane.samples.size());
    sums[0] += possible;
    sums[1] += possible - static_cast<double>(done);
    shares.push_back(lost(possible - static_cast<double>(done), possible));
    losses.push_back(static_cast<double>(most - least));
    // The last chunk ends after the last interval.
    wrong = std::max(wrong, std::abs(static_cast<double>(lane.timed_chunks - 1 - done)));
  }
  ranks.sum(sums);
  const Figures core_shares(ranks, shares);
  const Figures core_losses(ranks, losses);
  result.metrics.push_back({.name = "noise_share", .unit = "1", .samples = {lost(sums[1], sums[0])}, .work = {}});
  result.metrics.push_back({.name = "core_noise_share", .unit = "1", .samples = core_shares.all(), .work = {}});

  const std::vector<bool> kept =
      core_losses.among_largest(static_cast<std::size_t>(most_values) / lanes.front().samples.size());
  std::vector<Line> lines;
  for (std::size_t thread = 0; thread < lanes.size(); ++thread) {
    if (!kept[thread]) continue;
    lines.push_back({.thread = static_cast<int>(thread), .cpu = lanes[thread].cpu, .values = lanes[thread].samples});
  }
  result.series.emplace_back("work", gather_series(ranks, lines, "1", 1.0, core_shares.all().size()));
  result.verification.push_back(
      {.quantity = "chunks that no interval has", .value = ranks.maximum(wrong), .tolerance = 0.0});
}

}  // namespace banzuke::noise
