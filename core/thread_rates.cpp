#include "core/thread_rates.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "core/clock.hpp"

namespace banzuke {
namespace {

struct Team {
  std::vector<double> rates;  // relative to the fastest
  bool alike = true;
};

Team& team() {
  static Team measured;
  return measured;
}

// Returns each thread's copies per second while all others copy, too.
std::vector<double> measure_rates() {
  constexpr double long_enough = 0.3;  // s: many scheduler time slices, in case another program shares a core
  std::vector<double> rates(static_cast<std::size_t>(omp_get_max_threads()));
  // Far larger than the caches, for each thread and in total: cached data would be evicted whenever another program has
  // the core, and the thread would seem far slower than it is from memory.
  constexpr std::size_t largest = std::size_t{32} << 20;  // B of an array
  constexpr std::size_t together = std::size_t{2} << 30;  // B, total of one array per thread
  const std::size_t elements = std::min(largest, together / rates.size()) / sizeof(double);
#pragma omp parallel
  {
    std::vector<double> from(elements, 1.0);
    std::vector<double> to(elements, 0.0);
#pragma omp barrier
    const double start = now();
    double copies = 0.0;
    double seconds = 0.0;
    while (seconds < long_enough) {
      std::ranges::copy(from, to.begin());
      std::swap(from, to);
      ++copies;
      seconds = now() - start;
    }
    rates[static_cast<std::size_t>(omp_get_thread_num())] = copies / seconds;
  }
  return rates;
}

}  // namespace

Parts team_parts(int threads) {
  if (team().alike || std::ssize(team().rates) != threads) return {threads};
  return Parts(team().rates);
}

void share_by(std::vector<double> rates) {
  constexpr double difference = 0.05;
  const double fastest = rates.empty() ? 1.0 : std::ranges::max(rates);
  for (double& rate : rates) rate /= fastest;
  const bool alike = std::ranges::all_of(rates, [](double rate) { return rate > 1.0 - difference; });
  team() = {.rates = std::move(rates), .alike = alike};
}

void share_by_rates() { share_by(measure_rates()); }

Json::Object thread_rate_conditions() {
  Json::Array rates;
  for (const double rate : team().rates) rates.emplace_back(rate);
  if (rates.empty()) return {};
  return {{"thread_rates", rates}};
}

}  // namespace banzuke
