// Shared by the solver's tests: the plain elimination with which it is compared, and difficult matrices.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "generator.hpp"

namespace banzuke::hpl {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Element = std::function<double(std::int64_t, std::int64_t)>;

inline std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

inline Element official(std::int64_t n) {
  return [n](std::int64_t row, std::int64_t column) { return element(n, row, column); };
}

// The loops from hpl.hpp's comment.
struct Plain {
  Plain(std::int64_t n, const Element& of) : x(index(n)) {
    std::vector<std::vector<double>> a(index(n), std::vector<double>(index(n + 1)));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j <= n; ++j) a[index(i)][index(j)] = of(i, j);
    }
    for (std::size_t k = 0; k < a.size(); ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k; i < a.size(); ++i) {
        if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
      }
      pivots.push_back(static_cast<std::int64_t>(pivot));
      std::swap(a[k], a[pivot]);
      for (std::size_t i = k + 1; i < a.size(); ++i) {
        a[i][k] /= a[k][k];
        for (std::size_t j = k + 1; j <= a.size(); ++j) a[i][j] -= a[i][k] * a[k][j];
      }
    }
    for (std::size_t k = a.size(); k-- > 0;) {
      double sum = a[k].back();
      for (std::size_t j = k + 1; j < a.size(); ++j) sum -= a[k][j] * x[j];
      x[k] = sum / a[k][k];
    }
  }

  std::vector<double> x;
  std::vector<std::int64_t> pivots;
};

// FNV-1a, the hash of Lu::pivot_digest().
inline std::uint64_t digest(const std::vector<std::int64_t>& pivots) {
  std::uint64_t value = 14695981039346656037U;
  for (const std::int64_t pivot : pivots) value = (value ^ static_cast<std::uint64_t>(pivot)) * 1099511628211U;
  return value;
}

// All memory that the process has mapped, touched or not. Sanitizers map some, too.
constexpr double mapped_slack = 8 << 20;
inline double mapped_bytes() {
  std::ifstream in("/proc/self/statm");
  double pages = 0.0;
  in >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// All pivot candidates of a column are equal in magnitude, so that the first must win; the last column doubles in every
// step (J. H. Wilkinson's example of maximum growth). Exact up to n = 50, and so is x = 1, ..., 1.
inline Element wilkinson(std::int64_t n) {
  const auto a = [n](std::int64_t row, std::int64_t column) {
    if (row == column || column == n - 1) return 1.0;
    return row > column ? -1.0 : 0.0;
  };
  return [n, a](std::int64_t row, std::int64_t column) {
    if (column < n) return a(row, column);
    double sum = 0.0;
    for (std::int64_t j = 0; j < n; ++j) sum += a(row, j);
    return sum;
  };
}

// A permutation of the unit matrix: x(i) = b(place of i), exactly.
inline std::vector<std::int64_t> shuffled(std::int64_t n) {
  std::vector<std::int64_t> places(index(n));
  std::iota(places.begin(), places.end(), 0);
  std::mt19937_64 random(1);
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random() % i]);
  return places;
}

inline Element permutation(std::int64_t n) {
  return [n, places = shuffled(n)](std::int64_t row, std::int64_t column) {
    if (column == n) return static_cast<double>(row + 1);
    return places[index(row)] == column ? 1.0 : 0.0;
  };
}

// L U with its rows shuffled, where L is unit lower triangular with magnitudes of at most 1/2 below, and U has
// integers: every step is exact and pivoting recovers the order. Singular in column `singular`, with a zero on U's
// diagonal; -1: not singular.
inline Element exact(std::int64_t n, std::int64_t singular) {
  const auto small = [n](std::int64_t row, std::int64_t column) {
    return static_cast<double>(state(n, row, column) >> 62U) - 1.0;  // -1, 0, 1 or 2
  };
  const auto lower = [=](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : 0.25 * small(i, j); };
  const auto upper = [=](std::int64_t i, std::int64_t j) {
    if (i == j) return i == singular ? 0.0 : 4.0;
    return small(i, j);
  };
  std::vector<double> values(index(n * (n + 1)), 1.0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (std::int64_t k = 0; k <= std::min(i, j); ++k) sum += lower(i, k) * upper(k, j);
      values[index(i * (n + 1) + j)] = sum;
    }
  }
  return [n, values = std::move(values), places = shuffled(n)](std::int64_t row, std::int64_t column) {
    return values[index(places[index(row)] * (n + 1) + column)];
  };
}

}  // namespace banzuke::hpl
