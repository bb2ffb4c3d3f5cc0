// Contents of the arrays, for which the results are known.
#pragma once

#include <array>
#include <cstdint>

#include "core/random.hpp"
#include "gkv.hpp"

namespace banzuke::gkv {

struct Value {
  double re;
  double im;
};

// The value of mode (kx, ky) at z, each part in [0.5, 1.5): all differ, so that a neighbour's value is detected.
inline Value mode_value(const Shape& all, std::int64_t x, std::int64_t y, std::int64_t z) {
  const auto at = static_cast<std::uint64_t>((z * all.ky + y) * all.kx + x);
  return {1.0 + uniform(1, at), 1.0 + uniform(2, at)};
}

// intgrl: the factor that varies with z, v (counted over all ranks) and m.
inline double velocity_value(const Shape& all, std::int64_t z, std::int64_t v, std::int64_t m) {
  return 1.0 + uniform(3, static_cast<std::uint64_t>((m * all.v + v) * all.z + z));
}

// A polynomial of degree 4 with values of at most 1 in [-1, 1].
struct Polynomial {
  std::array<double, 5> c;

  double value(double x) const { return (((c[4] * x + c[3]) * x + c[2]) * x + c[1]) * x + c[0]; }
  double first(double x) const { return ((4.0 * c[4] * x + 3.0 * c[3]) * x + 2.0 * c[2]) * x + c[1]; }
  double second(double x) const { return (12.0 * c[4] * x + 6.0 * c[3]) * x + 2.0 * c[2]; }
};

// diff45: polynomials of v and p, each divided by Grid::most_velocity; even in p.
inline constexpr Polynomial along_v{{0.2, 0.3, -0.1, 0.25, 0.15}};
inline constexpr Polynomial along_p{{0.3, 0.0, 0.4, 0.0, -0.2}};

// diff123: polynomials of x, y, z / pi and v / Grid::most_velocity.
inline constexpr std::array<Polynomial, 4> polynomials123{{{{0.2, 0.1, -0.3, 0.15, 0.25}},
                                                           {{0.3, -0.2, 0.1, 0.25, -0.15}},
                                                           {{-0.2, 0.3, 0.2, -0.15, 0.1}},
                                                           {{0.25, 0.15, 0.2, -0.3, 0.1}}}};
// diff123: the factor that varies with m.
inline Value moment_value(std::int64_t m) {
  const auto at = static_cast<std::uint64_t>(m);
  return {1.0 + uniform(4, at), 1.0 + uniform(5, at)};
}

}  // namespace banzuke::gkv
