#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "core/isa.hpp"
#include "core/random.hpp"
#include "kernels.hpp"

namespace banzuke::fft {

using Wide = std::complex<long double>;

// Each instruction set that this processor runs, not only the widest.
inline std::vector<const Kernels*> sets() {
  std::vector<const Kernels*> out{&plain};
#if defined(__x86_64__)
  if (runs(Isa::avx2)) out.push_back(&avx2);
  if (runs(Isa::avx512)) out.push_back(&avx512);
#endif
  return out;
}

inline Complex number(std::int64_t i) {
  return {uniform(5, static_cast<std::uint64_t>(i)), uniform(6, static_cast<std::uint64_t>(i))};
}

// The definition, in a wider type.
inline std::vector<Wide> transformed(const std::vector<Complex>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<Wide> roots;
  for (std::int64_t m = 0; m < n; ++m) {
    const long double angle = -2 * std::numbers::pi_v<long double> * static_cast<long double>(m) / static_cast<long double>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  std::vector<Wide> out(x.size());
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t j = 0; j < n; ++j) {
      const Complex& of = x[static_cast<std::size_t>(j)];
      out[static_cast<std::size_t>(k)] += Wide(of.re, of.im) * roots[static_cast<std::size_t>(j * k % n)];
    }
  }
  return out;
}

inline double distance(const Complex& a, const Wide& b) {
  return static_cast<double>(std::abs(Wide(a.re, a.im) - b));
}

// Root mean square of the differences over that of the values.
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
