#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "dgemm.hpp"

namespace banzuke::dgemm {
namespace {

// y := M x for a matrix given by its elements, rows x columns. Parallel over rows.
template <class Element>
std::vector<double> product(std::int64_t rows, std::int64_t columns, const std::vector<double>& x, Element element) {
  std::vector<double> y(static_cast<std::size_t>(rows));
#pragma omp parallel for schedule(static)
  for (std::int64_t block = 0; block < rows; block += 64) {
    const std::int64_t end = std::min(rows, block + 64);
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = block; i < end; ++i) {
        y[static_cast<std::size_t>(i)] += element(i + j * rows) * x[static_cast<std::size_t>(j)];
      }
    }
  }
  return y;
}

auto generated(std::uint64_t matrix) {
  return [matrix](std::int64_t index) { return uniform(matrix, static_cast<std::uint64_t>(index)); };
}

double largest(std::span<const double> values) {
  double out = 0.0;
  for (const double value : values) {
    if (!(std::abs(value) <= out)) out = std::abs(value);  // keeps NaN
    if (std::isnan(out)) break;
  }
  return out;
}

}  // namespace

std::vector<double> random_vector(const Params& p) {
  std::vector<double> x(static_cast<std::size_t>(p.n));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = uniform(vector_x, j);
  return x;
}

double residual(const Params& p, std::int64_t calls, std::span<const double> c) {
  const auto element = [&](std::int64_t index) { return c[static_cast<std::size_t>(index)]; };
  const auto magnitude = [&](std::int64_t index) { return std::abs(element(index)); };
  const std::vector<double> x = random_vector(p);
  return residual(p, calls,
                  {.abx = product(p.m, p.k, product(p.k, p.n, x, generated(matrix_b)), generated(matrix_a)),
                   .c0x = product(p.m, p.n, x, generated(matrix_c)),
                   .cx = product(p.m, p.n, x, element),
                   .row_sums = product(p.m, p.n, std::vector<double>(x.size(), 1.0), magnitude)});
}

double residual(const Params& p, std::int64_t calls, const Products& products) {
  double sum = 0.0;
  double power = 1.0;
  for (std::int64_t i = 0; i < calls; ++i) {
    sum += power;
    power *= p.beta;
  }
  const auto& [abx, c0x, cx, row_sums] = products;
  std::vector<double> difference(cx.size());
  for (std::size_t i = 0; i < cx.size(); ++i) difference[i] = p.alpha * sum * abx[i] + power * c0x[i] - cx[i];
  const auto extent = static_cast<double>(std::max({p.m, p.n, p.k}) + calls);
  const double error = largest(difference);
  const double size = largest(row_sums);
  if (!std::isfinite(size)) return size;  // no error would be large beside it
  return error == 0.0 ? 0.0 : error / (size * largest(random_vector(p)) * extent * 0x1p-53);
}

}  // namespace banzuke::dgemm
