#include "dgemm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/blas.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/record.hpp"

namespace banzuke {
namespace {

constexpr double kBudget = 0.25;  // seconds of repetitions
constexpr int kLeast = 3;         // the first one includes page faults and the library's start-up
constexpr double kPatience = 2;   // seconds after which a slow library gets even fewer repetitions
constexpr std::array kInner{64, 96, 128, 192, 256, 384};
constexpr int kRounds = 4;

std::vector<double> filled(std::size_t count, std::uint64_t stream) {
  std::vector<double> values(count);
#pragma omp parallel for
  for (std::size_t i = 0; i < count; ++i) values[i] = uniform(stream, i);
  return values;
}

// y += alpha A x, column-major.
void add_product(std::vector<double>& y, double alpha, const double* a, std::size_t lda, const std::vector<double>& x) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += alpha * a[j * lda + i] * x[j];
  }
}

// Returns max |y| relative to the rounding error allowed in C x if the elements of C are sums of `terms` such products.
// Throws if it exceeds 1.
double checked(const std::string& library, const std::vector<double>& y, double terms) {
  const auto n = static_cast<double>(y.size());
  double error = 0;
  for (const double value : y) error = std::isnan(value) ? value : std::max(error, std::abs(value));
  error /= std::numeric_limits<double>::epsilon() * n * terms;
  const Verification check{"scaled error", error, 1.0};
  if (!check.passed()) throw std::runtime_error(library + ": wrong product (" + check.text() + ")");
  return error;
}

Blas loaded(const std::string& library, const std::vector<int>& cpus) {
  std::vector<std::vector<int>> places;
  places.reserve(cpus.size());
  for (const int cpu : cpus) places.push_back({cpu});
  bind_threads(cpus);
  return {library, places};
}

}  // namespace

Json measure_dgemm(const std::string& library, const std::vector<int>& cpus, int n) {
  const Blas blas = loaded(library, cpus);
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
  const auto order = static_cast<std::size_t>(n);
  const auto x = filled(order, 4);
  std::vector<double> bx(order, 0.0), y(order, 0.0);
  add_product(bx, 1.0, b.data(), order, x);
  add_product(y, 1.0, a.data(), order, bx);
  add_product(y, -1.0, c.data(), order, x);
  const double error = checked(library, y, n);
  return Json::object(
      {{"name", blas.name()}, {"flop_rate", 2.0 * n * n * n / best}, {"n", n}, {"error", error}, {"passed", true}});
}

Json measure_update(const std::string& library, const std::vector<int>& cpus, int n) {
  const Blas blas = loaded(library, cpus);
  const int lda = (n + 15) / 16 * 16 + 8;  // not a power of two, for which columns would share cache sets
  const auto order = static_cast<std::size_t>(n), stride = static_cast<std::size_t>(lda);
  const auto a = filled(stride * kInner.back(), 1), b = filled(order * kInner.back(), 2);
  Array<double> c(stride * order);
#pragma omp parallel for
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = 0.0;
  std::array<double, kInner.size()> best{};
  best.fill(std::numeric_limits<double>::infinity());
  int rounds = 0;  // the first one includes the library's start-up
  for (double spent = 0; rounds < kRounds && spent < kPatience; ++rounds) {
    for (std::size_t i = 0; i < kInner.size(); ++i) {
      const int k = kInner[i];
      const double start = now();
      blas.dgemm(n, n, k, -1.0, a.data(), lda, b.data(), k, 1.0, c.data(), lda);
      const double time = now() - start;
      best[i] = std::min(best[i], time);
      spent += time;
    }
  }
  const auto x = filled(order, 4);
  std::vector<double> y(order, 0.0);
  Json rates = Json::object();
  double terms = 0;
  for (std::size_t i = 0; i < kInner.size(); ++i) {
    const int k = kInner[i];
    std::vector<double> bx(static_cast<std::size_t>(k), 0.0);
    add_product(bx, 1.0, b.data(), bx.size(), x);
    add_product(y, rounds, a.data(), stride, bx);
    terms += static_cast<double>(rounds) * k;
    rates.set(std::to_string(k), 2.0 * n * n * k / best[i]);
  }
  add_product(y, 1.0, c.data(), stride, x);
  const double error = checked(library, y, terms);
  return Json::object(
      {{"name", blas.name()}, {"flop_rates", std::move(rates)}, {"n", n}, {"error", error}, {"passed", true}});
}

}  // namespace banzuke
