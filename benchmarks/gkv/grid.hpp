// Coordinates of the points, and the ingredients of the kernels' coefficients.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "gkv.hpp"
#include "kernels.hpp"

namespace banzuke::gkv {

class Grid {
 public:
  explicit Grid(const Params& params) : params_(params) {
    for (std::int64_t i = 0; i < 2 * params.nz; ++i) {
      field_.push_back(1.0 - epsilon * std::cos(z(i)));
      slope_.push_back(epsilon * std::sin(z(i)));
    }
  }

  static constexpr double most_velocity = 5.0;  // thermal velocities
  static constexpr double nu = 0.1;             // collision frequency
  static constexpr double speed_x = 0.5;
  static constexpr double speed_y = 0.25;
  static constexpr double hyperdiffusion = 0.1;
  static constexpr double epsilon = 0.18;  // inverse aspect ratio

  double dx() const { return 1.0 / static_cast<double>(params_.nx); }
  double dy() const { return 1.0 / static_cast<double>(params_.ny); }
  double dz() const { return std::numbers::pi / static_cast<double>(params_.nz); }
  double dv() const { return most_velocity / (static_cast<double>(params_.nv) - 0.5); }
  // Coordinates of points, numbered from 0; also valid for ghosts.
  double x(std::int64_t i) const { return static_cast<double>(i - params_.nx) * dx(); }
  double y(std::int64_t i) const { return static_cast<double>(i) * dy(); }
  double z(std::int64_t i) const { return static_cast<double>(i - params_.nz) * dz(); }
  double v(std::int64_t i) const { return (static_cast<double>(i - params_.nv) + 0.5) * dv(); }

  // The magnetic field along z; the step of the perpendicular velocity, and that velocity at moment m.
  double field(std::int64_t z_at) const { return field_[static_cast<std::size_t>(z_at)]; }
  double dp(std::int64_t z_at) const {
    return most_velocity / static_cast<double>(params_.nm) * std::sqrt(field(z_at));
  }
  double p(std::int64_t z_at, std::int64_t m) const { return static_cast<double>(m) * dp(z_at); }
  // The Jacobian in the average over a flux surface.
  double jacobian(std::int64_t z_at) const { return 1.0 / field(z_at); }

  // The weight of f in the integral of f v^moment over velocities, without the correction at m = 0.
  double weight(std::int64_t z_at, std::int64_t v_at, std::int64_t m) const {
    double out = p(z_at, m) * dp(z_at) * 2.0 * std::numbers::pi * dv();
    for (std::int64_t power = 0; power < params_.moment; ++power) out *= v(v_at);
    return out;
  }

  // nu k^2, the collisional damping of a mode.
  double damping(std::int64_t x_at, std::int64_t y_at, std::int64_t z_at) const {
    return nu * (x(x_at) * x(x_at) + y(y_at) * y(y_at)) / field(z_at);
  }

  // nu (d2/dv2 + v d/dv + d2/dp2 + (p + 1/p) d/dp + 3); at p = 0, where f is even in p, 1/p d/dp is d2/dp2.
  Collision collision(std::int64_t z_at, std::int64_t v_at, std::int64_t m) const {
    const double h = dp(z_at);
    const double across = p(z_at, m);
    const double along = v(v_at);
    return {.second_v = nu / (12.0 * dv() * dv()),
            .first_v = nu * along / (12.0 * dv()),
            .second_m = (m == 0 ? 2.0 : 1.0) * nu / (12.0 * h * h),
            .first_m = m == 0 ? 0.0 : nu * (across + 1.0 / across) / (12.0 * h),
            .centre = 3.0 * nu};
  }

  // -speed_x d/dx - speed_y d/dy - v d/dz - hyperdiffusion + mu dB/dz d/dv
  Streaming streaming(std::int64_t z_at, std::int64_t v_at, std::int64_t m) const {
    const double along = v(v_at);
    return {.x = -speed_x / (12.0 * dx()),
            .y = -speed_y / (12.0 * dy()),
            .z = -std::abs(along) / (60.0 * dz()),
            .hyper = -hyperdiffusion,
            .v = mirror(z_at, m) / (12.0 * dv()),
            .sign = along > 0.0 ? 1 : -1};
  }
  double mirror(std::int64_t z_at, std::int64_t m) const {
    return 0.5 * p(z_at, m) * p(z_at, m) / field(z_at) * slope_[static_cast<std::size_t>(z_at)];
  }

  const Params& params() const { return params_; }

 private:
  Params params_;
  std::vector<double> field_;  // along z
  std::vector<double> slope_;  // dB/dz
};

}  // namespace banzuke::gkv
