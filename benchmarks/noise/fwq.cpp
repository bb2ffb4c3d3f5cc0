#include "figures.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "clock_part.hpp"
#include "gather.hpp"
#include "histogram.hpp"

namespace banzuke::noise {
namespace {

// Sums over all processors, once ranks have been added up.
struct Sums {
  double samples = 0.0;
  double time = 0.0;
  double noise = 0.0;
  double beyond = 0.0;
  std::array<double, 3> above{};
};
constexpr std::array<std::int64_t, 3> limits{1'000, 10'000, 100'000};  // ns
constexpr std::array limit_names{"noise_rate_1us", "noise_rate_10us", "noise_rate_100us"};

struct Quantile {
  const char* name;
  double share;
  double least;  // fewest samples with which it differs from the maximum
};
constexpr std::array quantiles{Quantile{"noise_p50", 0.5, 0.0}, Quantile{"noise_p99", 0.99, 1e2},
                               Quantile{"noise_p999", 0.999, 1e3}, Quantile{"noise_p9999", 0.9999, 1e4}};

bool counted_everywhere(const Communicator& ranks, const std::vector<Lane>& lanes) {
  const bool here = std::ranges::all_of(lanes, [](const Lane& lane) {
    return !lane.user.empty() && std::ranges::all_of(lane.user, [](std::int64_t ticks) { return ticks > 0; });
  });
  return ranks.maximum(here ? 0.0 : 1.0) == 0.0;
}

// Returns the share of the time that is in no sample, the largest of this rank's processors.
double outside_samples(const std::vector<Lane>& lanes) {
  double outside = 0.0;
  for (const auto& lane : lanes) {
    const std::int64_t inside = std::accumulate(lane.samples.begin(), lane.samples.end(), std::int64_t{0});
    outside = std::max(outside, std::abs(static_cast<double>(lane.span - inside)) / static_cast<double>(lane.span));
  }
  return outside;
}

// Adds the samples of the processors with the most noise, and the part of each that is the clock's (`clocks`).
void add_series(const Figures& core_maxima, const std::vector<Lane>& lanes,
                std::vector<std::vector<std::int64_t>> clocks, const Communicator& ranks, Result& result) {
  const std::vector<bool> kept =
      core_maxima.among_largest(static_cast<std::size_t>(most_values) / lanes.front().samples.size());
  std::vector<Line> times;
  std::vector<Line> parts;
  for (std::size_t thread = 0; thread < lanes.size(); ++thread) {
    if (!kept[thread]) continue;
    const Lane& lane = lanes[thread];
    const std::int64_t least = *std::ranges::min_element(lane.samples);
    const Line line{.thread = static_cast<int>(thread), .cpu = lane.cpu, .base = least, .values = lane.samples};
    times.push_back(line);
    for (auto& value : times.back().values) value -= least;
    parts.push_back({.thread = line.thread, .cpu = line.cpu, .base = 0, .values = std::move(clocks[thread])});
  }
  const std::size_t processors = core_maxima.all().size();
  result.series.emplace_back("time", gather_series(ranks, times, "s", 1e-9, processors));
  result.series.emplace_back("clock", gather_series(ranks, parts, "s", 1e-9, processors));
}

// Adds the metrics of all processors together, and of each.
void add_metrics(const Sums& sums, const Histogram& noise, const Figures& core_maxima, const Figures& core_shares,
                 double most_beyond, Result& result) {
  const auto add = [&](const char* name, const char* unit, std::vector<double> samples) {
    result.metrics.push_back({.name = name, .unit = unit, .samples = std::move(samples), .work = {}});
  };
  add("maximum_noise", "s", {core_maxima.largest()});
  add("noise_share", "1", {sums.noise / sums.time});
  add("mean_noise", "s", {1e-9 * sums.noise / sums.samples});
  for (const auto& quantile : quantiles) {
    if (sums.samples < quantile.least) continue;
    // The last bin of the distribution ends above the largest value.
    add(quantile.name, "s",
        {std::min(core_maxima.largest(), 1e-9 * static_cast<double>(noise.percentile(quantile.share)))});
  }
  add("maximum_noise_beyond_clock", "s", {1e-9 * most_beyond});
  add("noise_share_beyond_clock", "1", {sums.beyond / sums.time});
  for (std::size_t k = 0; k < limits.size(); ++k) add(limit_names[k], "1/s", {1e9 * sums.above[k] / sums.time});
  add("core_maximum_noise", "s", core_maxima.all());
  add("core_noise_share", "1", core_shares.all());
}

}  // namespace

void add_fixed_work(const Communicator& ranks, const std::vector<Lane>& lanes, Result& result) {
  const bool counted = counted_everywhere(ranks, lanes);
  Histogram noise;
  Histogram beyond;
  Sums sums;
  std::vector<double> maxima;
  std::vector<double> shares;
  std::vector<std::vector<std::int64_t>> clocks;
  double quantum = 1e300;  // ns
  double resolved = 0.0;
  double most_beyond = 0.0;
  for (const auto& lane : lanes) {
    const std::int64_t least = *std::ranges::min_element(lane.samples);
    clocks.push_back(counted ? clock_part_of_counter(lane) : clock_part_of_chunks(lane));
    std::int64_t most = 0;
    std::int64_t lost = 0;
    for (std::size_t i = 0; i < lane.samples.size(); ++i) {
      const std::int64_t more = lane.samples[i] - least;
      const std::int64_t taken = std::max<std::int64_t>(0, more - clocks.back()[i]);
      noise.add(more);
      beyond.add(taken);
      most = std::max(most, more);
      lost += more;
      sums.beyond += static_cast<double>(taken);
      most_beyond = std::max(most_beyond, static_cast<double>(taken));
      for (std::size_t k = 0; k < limits.size(); ++k) sums.above[k] += more > limits[k] ? 1.0 : 0.0;
    }
    const auto time = static_cast<double>(std::accumulate(lane.samples.begin(), lane.samples.end(), std::int64_t{0}));
    sums.samples += static_cast<double>(lane.samples.size());
    sums.time += time;
    sums.noise += static_cast<double>(lost);
    maxima.push_back(1e-9 * static_cast<double>(most));
    shares.push_back(static_cast<double>(lost) / time);
    quantum = std::min(quantum, static_cast<double>(least));
    resolved = std::max(resolved, resolution(clocks.back()));
  }
  const Figures core_maxima(ranks, maxima);
  const Figures core_shares(ranks, shares);
  ranks.sum(noise.counts());
  ranks.sum(beyond.counts());
  std::array<double, 7> all{sums.samples,  sums.time,     sums.noise,   sums.beyond,
                            sums.above[0], sums.above[1], sums.above[2]};
  ranks.sum(all);
  sums = {.samples = all[0], .time = all[1], .noise = all[2], .beyond = all[3], .above = {all[4], all[5], all[6]}};

  add_metrics(sums, noise, core_maxima, core_shares, ranks.maximum(most_beyond), result);
  result.conditions.emplace_back("quantum", -1e-9 * ranks.maximum(-quantum));
  result.conditions.emplace_back("clock_resolution", 1e-9 * ranks.maximum(resolved));
  result.conditions.emplace_back(
      "method", counted ? "counter of user time" : "neighbours of " + std::to_string(chunks_of_quantum) + " chunks");

  add_series(core_maxima, lanes, std::move(clocks), ranks, result);
  result.distributions.emplace_back("noise", noise.distribution());
  result.distributions.emplace_back("noise_beyond_clock", beyond.distribution());
  result.verification.push_back({.quantity = "share of the time that is in no sample",
                                 .value = ranks.maximum(outside_samples(lanes)),
                                 .tolerance = 1e-9});
}

}  // namespace banzuke::noise
