#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "bracket.hpp"
#include "core/random.hpp"

namespace banzuke::gkv {
namespace {

using Number = std::complex<double>;

constexpr double fastest = 4.0;  // |v|, in thermal velocities

struct Wave {
  std::int64_t kx;
  std::int64_t ky;

  double norm() const { return std::hypot(static_cast<double>(kx), static_cast<double>(ky)); }
};

// Returns the wave of psi and chi, or of f. Their product has kx = 2 nx; on a grid with too few points for 3 nx this is
// aliased to a mode that is kept, so the check fails.
Wave wave_of(Field field, const Params& params) { return {params.nx, field == Field::f ? params.ny - 1 : params.ny}; }

// Returns the factor of the product of two modes in the bracket: i kx i ky' - i ky i kx'.
double cross(std::int64_t kx, std::int64_t ky, std::int64_t other_kx, std::int64_t other_ky) {
  return static_cast<double>(ky * other_kx - kx * other_ky);
}

Number random_mode(Field field, const Params& params, const Mode& at) {
  if (at.ky < 0 || (at.ky == 0 && at.kx < 0)) {
    Mode other = at;
    other.kx = -at.kx;
    other.ky = -at.ky;
    return std::conj(random_mode(field, params, other));
  }
  const Shape all = shape_of(params);
  const std::int64_t index = (((at.m * all.v + at.v) * all.z + at.z) * all.ky + at.ky) * all.kx + at.kx + params.nx;
  const auto stream = static_cast<std::uint64_t>(field) + 1;
  const double re = uniform(stream, 2 * static_cast<std::uint64_t>(index));
  const double im = uniform(stream, 2 * static_cast<std::uint64_t>(index) + 1);
  return {re, at.kx == 0 && at.ky == 0 ? 0.0 : im};
}

Number amplitude(Field field, const Params& params, Mode at) {
  at.kx = params.nx;
  at.ky = params.ny;
  return random_mode(field, params, at);
}

// Returns psi - v chi.
template <class Of>
Number potential(const Params& params, const Mode& at, const Of& of) {
  Mode still = at;
  still.v = 0;
  return of(Field::psi, still) - velocity(params, at.v) * of(Field::chi, still);
}

double log_points(const Params& params) { return std::log(4.0 * static_cast<double>(params.nxw * params.nyw)); }

constexpr double rounding = std::numeric_limits<double>::epsilon();

}  // namespace

double velocity(const Params& params, std::int64_t v) {
  const auto count = static_cast<double>(2 * params.nv);
  return fastest * (2.0 * static_cast<double>(v) + 1.0 - count) / count;
}

Number mode_of(Data data, Field field, const Params& params, const Mode& at) {
  if (std::abs(at.kx) > params.nx || std::abs(at.ky) > params.ny) return 0.0;
  if (data == Data::random) return random_mode(field, params, at);
  const Wave wave = wave_of(field, params);
  if (at.kx == wave.kx && at.ky == wave.ky) return amplitude(field, params, at);
  if (at.kx == -wave.kx && at.ky == -wave.ky) return std::conj(amplitude(field, params, at));
  return 0.0;
}

double sum_error(const Params& params, const Mode& at, Number found) {
  const auto random = [&](Field field, const Mode& mode) { return mode_of(Data::random, field, params, mode); };
  Number sum = 0.0;
  double psi = 0.0;  // sum of the squared gradients, as is `f`
  double f = 0.0;
  for (std::int64_t ky = -params.ny; ky <= params.ny; ++ky) {
    for (std::int64_t kx = -params.nx; kx <= params.nx; ++kx) {
      Mode one = at;
      one.kx = kx;
      one.ky = ky;
      Mode other = at;
      other.kx = at.kx - kx;
      other.ky = at.ky - ky;
      const Number first = potential(params, one, random);
      sum += cross(kx, ky, other.kx, other.ky) * first * random(Field::f, other);
      const auto square = static_cast<double>(kx * kx + ky * ky);
      psi += square * std::norm(first);
      f += square * std::norm(random(Field::f, one));
    }
  }
  return std::abs(found - sum) / (rounding * log_points(params) * std::sqrt(psi * f));
}

double product_error(const Params& params, const Mode& at, Number found) {
  const Wave first = wave_of(Field::psi, params);
  const Wave second = wave_of(Field::f, params);
  const Number psi =
      potential(params, at, [&](Field field, const Mode& mode) { return amplitude(field, params, mode); });
  const Number f = amplitude(Field::f, params, at);
  Number known = 0.0;
  for (const int sign : {1, -1}) {
    for (const int other : {1, -1}) {
      if (sign * first.kx + other * second.kx != at.kx || sign * first.ky + other * second.ky != at.ky) continue;
      known += cross(sign * first.kx, sign * first.ky, other * second.kx, other * second.ky) *
               (sign > 0 ? psi : std::conj(psi)) * (other > 0 ? f : std::conj(f));
    }
  }
  return std::abs(found - known) /
         (rounding * log_points(params) * 2.0 * first.norm() * second.norm() * std::abs(psi) * std::abs(f));
}

}  // namespace banzuke::gkv
