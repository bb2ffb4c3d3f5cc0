#include "reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace banzuke::hpl {

std::vector<double> row_sums(const Distribution& matrix, std::span<const double> x) {
  const std::int64_t own_columns = matrix.columns.before(matrix.n);
  std::vector<double> sums(2 * static_cast<std::size_t>(matrix.local_rows));
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < matrix.local_rows; row += 8) {
    std::array<double, 8> product{};
    std::array<double, 8> magnitude{};
    const std::int64_t count = std::min<std::int64_t>(8, matrix.local_rows - row);
    each_element(matrix.n, matrix.rows, matrix.columns, own_columns, row, count,
                 [&](std::size_t i, std::int64_t column, double value) {
                   product[i] += value * x[static_cast<std::size_t>(column)];
                   magnitude[i] += std::abs(value);
                 });
    std::copy_n(product.begin(), count, sums.begin() + row);
    std::copy_n(magnitude.begin(), count, sums.begin() + matrix.local_rows + row);
  }
  return sums;
}

double residual(const Communicator& ranks, const Grid& grid, const Distribution& matrix, std::span<const double> x,
                std::vector<double> sums) {
  const auto rows = static_cast<std::size_t>(matrix.local_rows);
  grid.along_row.sum(sums);

  enum Norm { difference, norm_a, norm_x, norm_b };
  std::array<double, 4> norms{};
  const auto raise = [&](Norm norm, double value) {
    if (std::isnan(norms[norm])) return;
    if (!(std::abs(value) <= norms[norm])) norms[norm] = std::abs(value);  // takes NaN
  };
  for (std::size_t i = 0; i < rows; ++i) {
    const double b = element(matrix.n, matrix.rows.global(static_cast<std::int64_t>(i)), matrix.n);
    raise(difference, b - sums[i]);
    raise(norm_a, sums[rows + i]);
    raise(norm_b, b);
  }
  for (const double value : x) raise(norm_x, value);
  ranks.maximum(norms);
  constexpr double epsilon = 0x1p-53;
  return norms[difference] /
         (epsilon * (norms[norm_a] * norms[norm_x] + norms[norm_b]) * static_cast<double>(matrix.n));
}

}  // namespace banzuke::hpl
