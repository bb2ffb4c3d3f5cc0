#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "core/fft/batch.hpp"
#include "core/fft/kernels.hpp"
#include "core/random.hpp"

namespace banzuke::fft {

using Wide = std::complex<long double>;

inline Complex number(std::int64_t i) {
  return {uniform(5, static_cast<std::uint64_t>(i)), uniform(6, static_cast<std::uint64_t>(i))};
}

inline std::vector<Complex> numbers(std::int64_t n) {
  std::vector<Complex> out(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = number(i);
  return out;
}

// The transform in a wider type: by definition if n is prime, else from the transforms of every p-th number.
inline std::vector<Wide> transformed(const std::vector<Wide>& x) {
  const std::size_t n = x.size();
  std::vector<Wide> roots;
  roots.reserve(n);
  for (std::size_t m = 0; m < n; ++m) {
    const long double angle =
        -2 * std::numbers::pi_v<long double> * static_cast<long double>(m) / static_cast<long double>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  std::size_t p = 2;
  while (p < n && n % p != 0) ++p;
  std::vector<Wide> out(n);
  std::vector<Wide> part(std::max<std::size_t>(n / p, 1));
  for (std::size_t first = 0; first < std::min(p, n); ++first) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = x[first + i * p];
    const std::vector<Wide> of_part = part.size() > 1 ? transformed(part) : part;
    for (std::size_t k = 0; k < n; ++k) out[k] += of_part[k % part.size()] * roots[first * k % n];
  }
  return out;
}

inline std::vector<Wide> transformed(const std::vector<Complex>& x) {
  std::vector<Wide> wide(x.size());
  std::ranges::transform(x, wide.begin(), [](const Complex& one) { return Wide(one.re, one.im); });
  return transformed(wide);
}

inline double distance(const Complex& a, const Wide& b) { return static_cast<double>(std::abs(Wide(a.re, a.im) - b)); }

// Root mean square of the differences, relative to that of the values.
inline double relative_error(const std::vector<Complex>& found, const std::vector<Wide>& known) {
  long double differences = 0;
  long double values = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    differences += std::norm(Wide(found[i].re, found[i].im) - known[i]);
    values += std::norm(known[i]);
  }
  return static_cast<double>(std::sqrt(differences / values));
}

}  // namespace banzuke::fft
