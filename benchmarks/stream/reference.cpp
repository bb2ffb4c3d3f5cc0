#include <algorithm>
#include <cmath>

#include "loops.hpp"
#include "stream.hpp"

namespace banzuke::stream {

namespace {

// Returns the value of each element of a, b and c after so many rounds.
std::array<double, 3> replayed(std::int64_t rounds) {
  double a = 2.0;
  double b = 2.0;
  double c = 0.0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    c = a;
    b = scalar * c;
    c = a + b;
    a = b + scalar * c;
  }
  return {a, b, c};
}

}  // namespace

void declare_sizes(Parameters& parameters, Params& params) {
  parameters.add("n", params.n, "elements in each of the three arrays of a rank",
                 {.min = 1, .max = std::int64_t{1} << 40});
  parameters.add("rounds", params.rounds, "times that each loop runs; the first is not counted",
                 {.min = 2, .max = 100});  // each round multiplies the values by 15: Dot overflows at 128
}

double error(const Read& read, std::int64_t rounds) {
  const std::array expected = replayed(rounds);
  double worst = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = expected[i];
    double sum = 0.0;
    double elements = 0.0;
    read(i, [&](std::span<const double> piece) {
      const double* x = piece.data();
      const auto n = static_cast<std::int64_t>(piece.size());
#pragma omp parallel for schedule(static) reduction(+ : sum)
      for (std::int64_t j = 0; j < n; ++j) sum += std::abs(x[j] - value);
      elements += static_cast<double>(n);
    });
    const double mean = sum / elements / std::abs(value);
    worst = std::isnan(mean) ? mean : std::max(worst, mean);
    if (std::isnan(worst)) return worst;
  }
  return worst;
}

double dot_error(std::span<const double> dots, std::int64_t n) {
  double worst = 0.0;
  for (std::size_t round = 0; round < dots.size(); ++round) {
    const auto [a, b, c] = replayed(static_cast<std::int64_t>(round) + 1);
    const double expected = static_cast<double>(n) * a * b;
    const double wrong = std::abs(dots[round] - expected) / expected;
    if (std::isnan(wrong)) return wrong;
    worst = std::max(worst, wrong);
  }
  return worst;
}

}  // namespace banzuke::stream
