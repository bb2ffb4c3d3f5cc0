#include "solve.hpp"

#include <algorithm>
#include <span>

namespace banzuke::hpl {
namespace {

// x := U^-1 x for a block on the diagonal.
void solve_block(const Matrix& matrix, std::int64_t row, std::int64_t column, std::span<double> x) {
  for (std::size_t i = x.size(); i-- > 0;) {
    const double* u = matrix.at(row + static_cast<std::int64_t>(i), column);
    for (std::size_t j = i + 1; j < x.size(); ++j) x[i] -= u[j] * x[j];
    x[i] /= u[i];
  }
}

}  // namespace

std::vector<double> back_substitute(const Grid& grid, const Matrix& matrix) {
  const std::int64_t block = matrix.rows.block;
  const std::int64_t n = matrix.n;
  const std::int64_t own_columns = matrix.columns.before(n);
  std::vector<double> x(static_cast<std::size_t>(own_columns));
  std::vector<double> right(static_cast<std::size_t>(block));
  for (std::int64_t first = (n - 1) / block * block; first >= 0; first -= block) {
    const std::int64_t width = std::min(block, n - first);
    const std::int64_t row = matrix.rows.before(first);
    const std::int64_t column = matrix.columns.before(first);
    const std::int64_t later = matrix.columns.before(first + width);
    const bool here = matrix.columns.mine(first);
    const std::span<double> sides(right.data(), static_cast<std::size_t>(width));
    if (matrix.rows.mine(first)) {
      // Every process column subtracts what its own part of x takes: whole rows, as they lie in memory.
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < width; ++i) {
        const double* u = matrix.at(row + i, 0);
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t j = later; j < own_columns; ++j) sum += u[j] * x[static_cast<std::size_t>(j)];
        sides[static_cast<std::size_t>(i)] = (matrix.columns.mine(n) ? u[own_columns] : 0.0) - sum;
      }
      grid.along_row.sum(matrix.columns.owner(first), sides);
      if (here) solve_block(matrix, row, column, sides);
    }
    if (!here) continue;
    grid.along_column.broadcast(matrix.rows.owner(first), sides);
    std::ranges::copy(sides, x.begin() + column);
  }
  return x;
}

}  // namespace banzuke::hpl
