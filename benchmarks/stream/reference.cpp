#include <algorithm>
#include <cmath>

#include "loops.hpp"
#include "stream.hpp"

namespace banzuke::stream {

double error(const std::array<std::span<const double>, 3>& arrays, std::int64_t rounds) {
  double a = 2.0;
  double b = 2.0;
  double c = 0.0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    c = a;
    b = scalar * c;
    c = a + b;
    a = b + scalar * c;
  }
  const std::array expected{a, b, c};
  double worst = 0.0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const double* x = arrays[i].data();
    const double value = expected[i];
    const auto n = static_cast<std::int64_t>(arrays[i].size());
    double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::int64_t j = 0; j < n; ++j) sum += std::abs(x[j] - value);
    const double mean = sum / static_cast<double>(n) / std::abs(value);
    worst = std::isnan(mean) ? mean : std::max(worst, mean);
    if (std::isnan(worst)) return worst;
  }
  return worst;
}

}  // namespace banzuke::stream
