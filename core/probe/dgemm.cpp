#include "dgemm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "core/binding.hpp"
#include "core/blas.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"

namespace banzuke {
namespace {

constexpr double kBudget = 0.25;  // seconds of repetitions
constexpr int kLeast = 3;         // the first one pays for page faults and the library's own start
constexpr double kPatience = 2;   // seconds after which a slow library is not repeated even that often

std::vector<double> filled(std::size_t count, std::uint64_t stream) {
  std::vector<double> values(count);
#pragma omp parallel for
  for (std::size_t i = 0; i < count; ++i) values[i] = uniform(stream, i);
  return values;
}

// y := A x, column-major, order n.
std::vector<double> times(const std::vector<double>& a, const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<double> y(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) y[i] += a[j * n + i] * x[j];
  }
  return y;
}

// max |C x - A (B x)| over the rounding that n-term sums of such elements may show.
double scaled_error(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c,
                    const std::vector<double>& x) {
  const auto expected = times(a, times(b, x)), found = times(c, x);
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(found[i] - expected[i]);
    if (std::isnan(difference)) return difference;
    error = std::max(error, difference);
  }
  const auto n = static_cast<double>(x.size());
  return error / (std::numeric_limits<double>::epsilon() * n * n);
}

}  // namespace

Json measure_dgemm(const std::string& library, const std::vector<int>& cpus, int n) {
  std::vector<std::vector<int>> places;
  places.reserve(cpus.size());
  for (const int cpu : cpus) places.push_back({cpu});
  bind_threads(cpus);
  const Blas blas(library, places);
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto a = filled(size, 1), b = filled(size, 2);
  auto c = filled(size, 3);
  const auto repetition = [&] {
    const double start = now();
    blas.dgemm(n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, c.data(), n);
    return now() - start;
  };
  double best = repetition(), spent = best;
  for (int i = 1; (i < kLeast && spent < kPatience) || spent < kBudget; ++i) {
    const double time = repetition();
    best = std::min(best, time);
    spent += time;
  }
  const double error = scaled_error(a, b, c, filled(static_cast<std::size_t>(n), 4));
  if (!(error <= 1.0)) {
    throw std::runtime_error(library + ": wrong product (scaled error " + std::to_string(error) + ", at most 1)");
  }
  return Json::object(
      {{"name", blas.name()}, {"flop_rate", 2.0 * n * n * n / best}, {"n", n}, {"error", error}, {"passed", true}});
}

}  // namespace banzuke
