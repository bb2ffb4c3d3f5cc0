// Checks: computes what the results must be from the functions that f was filled with.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "diff123.hpp"
#include "diff45.hpp"
#include "intgrl.hpp"
#include "samples.hpp"

namespace banzuke::gkv {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Returns the largest value of row(z, v, m).
template <class Row>
double largest(const Shape& own, Row row) {
  double worst = 0.0;
#pragma omp parallel for schedule(static) reduction(max : worst)
  for (std::int64_t z = 0; z < own.z; ++z) {
    for (std::int64_t m = 0; m < own.m; ++m) {
      for (std::int64_t v = 0; v < own.v; ++v) worst = larger(worst, row(z, v, m));
    }
  }
  return worst;
}

double difference(const double* result, Value expected) {
  return larger(std::abs(result[0] - expected.re), std::abs(result[1] - expected.im));
}

}  // namespace

// Compares with the formula: the sum from m = 1 with the correction for the end at m = 0.
std::vector<Verification> Intgrl::check() const {
  const Shape& own = slab_.own;
  const Shape& all = slab_.all;
  std::vector<double> sums;
  std::vector<double> sizes;
  for (std::int64_t z = 0; z < own.z; ++z) {
    long double sum = 0.0L;
    long double size = 0.0L;
    for (std::int64_t v = slab_.first_v; v < slab_.first_v + own.v; ++v) {
      const auto term = [&](std::int64_t m) {
        return static_cast<long double>(velocity_value(all, z, v, m)) * static_cast<long double>(grid_.weight(z, v, m));
      };
      for (std::int64_t m = 1; m < own.m; ++m) {
        sum += term(m);
        size += std::abs(term(m));
      }
      sum -= -term(1) / 12.0L + (term(2) - 2.0L * term(1)) * 11.0L / 720.0L;
    }
    sums.push_back(static_cast<double>(sum));
    sizes.push_back(static_cast<double>(size));
  }
  const auto terms = static_cast<double>(own.v * own.m);
  const double wrong = largest({own.kx, own.ky, own.z, 1, 1}, [&](std::int64_t z, std::int64_t, std::int64_t) {
    double worst = 0.0;
    const auto at = static_cast<std::size_t>(z);
    for (std::int64_t y = 0; y < own.ky; ++y) {
      for (std::int64_t x = 0; x < own.kx; ++x) {
        const Value g = mode_value(all, x, y, z);
        worst = larger(worst, difference(moment(y, z) + 2 * x, {g.re * sums[at], g.im * sums[at]}));
      }
    }
    return worst / (terms * epsilon * sizes[at]);
  });
  double jacobians = 0.0;
  double size = 0.0;
  for (std::int64_t z = 0; z < own.z; ++z) {
    jacobians += grid_.jacobian(z);
    size = std::max(size, sizes[static_cast<std::size_t>(z)]);
  }
  const double averaged = largest({own.kx, own.ky, 1, 1, 1}, [&](std::int64_t, std::int64_t, std::int64_t) {
    double worst = 0.0;
    for (std::int64_t y = 0; y < own.ky; ++y) {
      for (std::int64_t x = 0; x < own.kx; ++x) {
        Value mean{};
        for (std::int64_t z = 0; z < own.z; ++z) {
          const Value g = mode_value(all, x, y, z);
          const double share = grid_.jacobian(z) / jacobians * sums[static_cast<std::size_t>(z)];
          mean.re += share * g.re;
          mean.im += share * g.im;
        }
        worst = larger(worst, difference(average(y) + 2 * x, mean));
      }
    }
    return worst / ((terms + static_cast<double>(own.z)) * epsilon * size);
  });
  return {{"error of the integrals over its bound", wrong, 1.0},
          {"error of the averages over its bound", averaged, 1.0}};
}

// Differences of 4th order are exact for polynomials of degree 4 except for rounding errors, whose bound follows from
// the magnitudes of the terms.
std::vector<Verification> Diff45::check() const {
  const Shape& own = slab_.own;
  constexpr double scale = Grid::most_velocity;
  constexpr double terms = 32.0;
  const double wrong = largest(own, [&](std::int64_t z, std::int64_t v, std::int64_t m) {
    const double along = grid_.v(slab_.first_v + v) / scale;
    const double across = grid_.p(z, m) / scale;
    const double in_v = along_v.value(along);
    const double in_p = along_p.value(across);
    const double curved_p = along_p.second(across) / (scale * scale);
    const double drag_p = m == 0 ? curved_p : (across * scale + 1.0 / (across * scale)) * along_p.first(across) / scale;
    const double collided =
        Grid::nu * ((along_v.second(along) / (scale * scale) + along * along_v.first(along)) * in_p +
                    (curved_p + drag_p) * in_v + 3.0 * in_v * in_p);
    const Collision c = grid_.collision(z, slab_.first_v + v, m);
    const double size =
        64.0 * (c.second_v + c.second_m) + 18.0 * (std::abs(c.first_v) + c.first_m) + c.centre + 2.0 * Grid::nu;
    double worst = 0.0;
    for (std::int64_t y = 0; y < own.ky; ++y) {
      for (std::int64_t x = 0; x < own.kx; ++x) {
        const Value g = mode_value(slab_.all, x, y, z);
        const double expected = collided - grid_.damping(x, y, z) * in_v * in_p;
        worst = larger(worst, difference(result(y, z, v, m) + 2 * x, {g.re * expected, g.im * expected}));
      }
    }
    return worst / (terms * epsilon * size);
  });
  return {{"error of the differences over its bound", wrong, 1.0}};
}

std::vector<Verification> Diff123::check() const {
  const Shape& own = slab_.own;
  // References, because in Clang 14 a lambda cannot capture structured bindings.
  const Polynomial& of_x = polynomials123[0];
  const Polynomial& of_y = polynomials123[1];
  const Polynomial& of_z = polynomials123[2];
  const Polynomial& of_v = polynomials123[3];
  constexpr double terms = 32.0;
  const double wrong = largest(own, [&](std::int64_t z, std::int64_t v, std::int64_t m) {
    const std::int64_t v_at = slab_.first_v + v;
    const double speed = grid_.v(v_at);
    const double at_z = grid_.z(z) / std::numbers::pi;
    const double at_v = speed / Grid::most_velocity;
    const double in_z = of_z.value(at_z);
    const double in_v = of_v.value(at_v);
    // The fourth difference of a polynomial of degree 4.
    const double fourth = 24.0 * of_z.c[4] * std::pow(grid_.dz() / std::numbers::pi, 4);
    const double streamed = -speed * of_z.first(at_z) / std::numbers::pi * in_v - Grid::hyperdiffusion * fourth * in_v +
                            grid_.mirror(z, m) * of_v.first(at_v) / Grid::most_velocity * in_z;
    const Value of_m = moment_value(m);
    const Streaming c = grid_.streaming(z, v_at, m);
    double size = 18.0 * std::abs(c.x);
    if (dimensions() > 1) size += 18.0 * std::abs(c.y);
    if (dimensions() > 2) size += 130.0 * std::abs(c.z) + 16.0 * std::abs(c.hyper) + 18.0 * std::abs(c.v);
    double worst = 0.0;
    for (std::int64_t y = 0; y < own.ky; ++y) {
      const double in_y = of_y.value(grid_.y(y));
      for (std::int64_t x = 0; x < own.kx; ++x) {
        const double in_x = of_x.value(grid_.x(x));
        double expected = -Grid::speed_x * of_x.first(grid_.x(x)) * in_y * in_z * in_v;
        if (dimensions() > 1) expected -= Grid::speed_y * in_x * of_y.first(grid_.y(y)) * in_z * in_v;
        if (dimensions() > 2) expected += in_x * in_y * streamed;
        worst = larger(worst, difference(result(y, z, v, m) + 2 * x, {of_m.re * expected, of_m.im * expected}));
      }
    }
    return worst / (terms * epsilon * size);
  });
  return {{"error of the differences over its bound", wrong, 1.0}};
}

}  // namespace banzuke::gkv
