#include "histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace banzuke::noise {
namespace {

constexpr std::size_t exact = 1000;  // bins of one value
constexpr std::size_t decade = 900;  // bins of 100..999 times a power of ten
constexpr std::size_t decades = 12;  // up to 10^15 ns, eleven days

}  // namespace

std::size_t bin_of(std::int64_t value) {
  auto rest = static_cast<std::uint64_t>(value);
  if (rest < exact) return rest;
  std::size_t power = 0;
  bool cut = false;
  while (rest >= exact) {
    cut = cut || rest % 10 != 0;
    rest /= 10;
    ++power;
  }
  rest += cut ? 1 : 0;  // 1000 correctly gives the first bin of the next decade
  return std::min(exact + (power - 1) * decade + rest - 100, exact + decades * decade - 1);
}

std::int64_t value_of(std::size_t bin) {
  if (bin < exact) return static_cast<std::int64_t>(bin);
  auto value = static_cast<std::int64_t>((bin - exact) % decade + 100);
  for (std::size_t power = (bin - exact) / decade + 1; power > 0; --power) value *= 10;
  return value;
}

Histogram::Histogram() : counts_(exact + decades * decade) {}

void Histogram::add(std::int64_t value) { counts_[bin_of(value)] += 1.0; }

double Histogram::total() const { return std::accumulate(counts_.begin(), counts_.end(), 0.0); }

std::int64_t Histogram::percentile(double share) const {
  const double wanted = std::ceil(share * total());
  double seen = 0.0;
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    seen += counts_[bin];
    if (seen >= wanted && seen > 0.0) return value_of(bin);
  }
  return 0;
}

Distribution Histogram::distribution() const {
  Distribution out{.unit = "s", .resolution = 1e-9, .values = {}, .counts = {}};
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    if (counts_[bin] == 0.0) continue;
    out.values.push_back(value_of(bin));
    out.counts.push_back(static_cast<std::int64_t>(counts_[bin]));
  }
  return out;
}

}  // namespace banzuke::noise
