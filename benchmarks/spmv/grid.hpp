// Grids of points, numbered along x, then y, then z.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace banzuke::spmv {

template <std::size_t D>
using Sides = std::array<std::int64_t, D>;

// Returns a nearly cubic box of about `points` points, no side shorter than 2.
template <std::size_t D>
Sides<D> nearly_cube(double points) {
  Sides<D> sides{};
  for (std::size_t left = D; left-- > 0;) {
    const double side = std::pow(std::max(points, 1.0), 1.0 / static_cast<double>(left + 1));
    sides[left] = std::max<std::int64_t>(2, std::llround(side));
    points /= static_cast<double>(sides[left]);
  }
  return sides;
}

// Returns the box for which `entries(sides)` is closest to `wanted`. Because sides are rounded, the search goes beyond
// it and takes the best.
template <std::size_t D, class Entries>
Sides<D> fitted(double wanted, const Entries& entries) {
  Sides<D> best = nearly_cube<D>(wanted);
  double aim = wanted;
  for (int step = 0; step < 16; ++step) {
    const Sides<D> sides = nearly_cube<D>(aim);
    if (std::abs(entries(sides) - wanted) < std::abs(entries(best) - wanted)) best = sides;
    aim *= wanted / entries(sides);
  }
  return best;
}

template <std::size_t D>
double points(const Sides<D>& sides) {
  double all = 1.0;
  for (const std::int64_t side : sides) all *= static_cast<double>(side);
  return all;
}

template <std::size_t D>
Sides<D> point(const Sides<D>& sides, std::int64_t number) {
  Sides<D> at{};
  for (std::size_t d = 0; d < D; ++d) {
    at[d] = number % sides[d];
    number /= sides[d];
  }
  return at;
}

template <std::size_t D>
std::int64_t number(const Sides<D>& sides, const Sides<D>& at) {
  std::int64_t all = 0;
  for (std::size_t d = D; d-- > 0;) all = all * sides[d] + at[d];
  return all;
}

}  // namespace banzuke::spmv
