#include "clock_part.hpp"

#include <cmath>
#include <cstdlib>

#include "core/paired.hpp"

namespace banzuke::noise {

std::vector<std::int64_t> clock_part_of_chunks(const Lane& lane) {
  const std::int64_t least = *std::ranges::min_element(lane.even);
  std::vector<std::int64_t> out;
  out.reserve(lane.even.size());
  for (const auto time : lane.even) out.push_back(time - least);
  return out;
}

std::vector<std::int64_t> clock_part_of_counter(const Lane& lane) {
  const std::int64_t least = *std::ranges::min_element(lane.user);
  // Ticks per ns, taken from the sample that spent the smallest share of its time in the kernel.
  double rate = 0.0;
  for (std::size_t i = 0; i < lane.user.size(); ++i) {
    rate = std::max(rate, static_cast<double>(lane.user[i]) / static_cast<double>(lane.samples[i]));
  }
  std::vector<std::int64_t> out;
  out.reserve(lane.user.size());
  for (const auto ticks : lane.user) out.push_back(std::llround(static_cast<double>(ticks - least) / rate));
  return out;
}

double resolution(const std::vector<std::int64_t>& clock_part) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < clock_part.size(); ++i) {
    steps.push_back(static_cast<double>(std::abs(clock_part[i] - clock_part[i - 1])));
  }
  return median(std::move(steps));
}

}  // namespace banzuke::noise
