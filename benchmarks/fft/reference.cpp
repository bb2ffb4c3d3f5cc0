#include <algorithm>
#include <utility>

#include "core/fft/roots.hpp"
#include "core/random.hpp"
#include "fft.hpp"

namespace banzuke::fft {
namespace {

Complex input(std::int64_t index) {
  return {uniform(0, static_cast<std::uint64_t>(index)), uniform(1, static_cast<std::uint64_t>(index))};
}

double scaled(double largest, double points, const Communicator& ranks) {
  constexpr double epsilon = 0x1p-53;  // as HPCC uses it, from HPL_dlamch: half the distance from 1 to the next number
  return ranks.maximum(largest) / (epsilon * std::log(points));
}

std::int64_t points_of(const Fft& fft, const Communicator& ranks, int at_once) {
  return fft.size() * (ranks.size() / at_once);
}

// Returns the phase of output k if the input is 1 at j and 0 elsewhere, in units of 1/edge of a turn: the sum, over the
// dimensions, of the products of the coordinates of k and j.
std::int64_t turns(std::int64_t k, std::int64_t j, std::int64_t dimensions, std::int64_t edge) {
  std::int64_t sum = 0;
  for (std::int64_t dimension = 0; dimension < dimensions; ++dimension) {
    sum = static_cast<std::int64_t>((sum + static_cast<__int128>(k % edge) * (j % edge)) % edge);
    k /= edge;
    j /= edge;
  }
  return sum;
}

}  // namespace

void fill(Complex* x, std::int64_t size, const Order& order) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i) x[i] = input(order.index(i));
}

double inverse_error(Fft& fft, const Communicator& ranks, int at_once) {
  const auto points = static_cast<double>(points_of(fft, ranks, at_once));
  // With real and imaginary parts swapped before and after, the forward transform is n times the inverse.
  Complex* out = fft.out();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < fft.size(); ++i) std::swap(out[i].re, out[i].im);
  fft.run_back();
  const Order order = fft.in_order();
  const Complex* x = fft.in();
  double largest = 0.0;
#pragma omp parallel
  {
    double mine = 0.0;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < fft.size(); ++i) {
      const Complex was = input(order.index(i));
      mine = larger(mine, std::hypot(x[i].im / points - was.re, x[i].re / points - was.im));
    }
#pragma omp critical
    largest = larger(largest, mine);
  }
  return scaled(largest, points, ranks);
}

double pulse_error(Fft& fft, const Communicator& ranks, std::int64_t dimensions, int at_once) {
  const std::int64_t n = points_of(fft, ranks, at_once);
  const std::int64_t at = n - 1 - n / 3;  // shares few factors with n
  const Order in = fft.in_order();
  Complex* x = fft.in();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < fft.size(); ++i) x[i] = {in.index(i) == at ? 1.0 : 0.0, 0.0};
  fft.run();
  const std::int64_t edge = dimensions == 3 ? edge_of(n) : n;
  const Roots roots(edge);
  const Order order = fft.out_order();
  const Complex* out = fft.out();
  double largest = 0.0;
#pragma omp parallel
  {
    double mine = 0.0;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < fft.size(); ++i) {
      const Complex known = roots(turns(order.index(i), at, dimensions, edge));
      mine = larger(mine, std::hypot(out[i].re - known.re, out[i].im - known.im));
    }
#pragma omp critical
    largest = larger(largest, mine);
  }
  return scaled(largest, static_cast<double>(n), ranks);
}

}  // namespace banzuke::fft
