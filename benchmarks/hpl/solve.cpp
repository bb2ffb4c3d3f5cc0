#include "solve.hpp"

#include <algorithm>
#include <span>

namespace banzuke::hpl {
namespace {

// x := U^-1 x for a block on the diagonal.
void solve_block(const Store::Block& block, std::span<double> x) {
  for (std::size_t i = x.size(); i-- > 0;) {
    const double* u = block.start + static_cast<std::int64_t>(i) * block.ld;
    for (std::size_t j = i + 1; j < x.size(); ++j) x[i] -= u[j] * x[j];
    x[i] /= u[i];
  }
}

}  // namespace

std::vector<double> back_substitute(const Grid& grid, Store& store) {
  const Distribution& matrix = store.distribution();
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
      // Every process column subtracts what its own part of x takes.
      store.subtract_solved(row, later, x, sides);
      grid.along_row.sum(matrix.columns.owner(first), sides);
      if (here) solve_block(store.block(row, column, width), sides);
    }
    if (!here) continue;
    grid.along_column.broadcast(matrix.rows.owner(first), sides);
    std::ranges::copy(sides, x.begin() + column);
  }
  return x;
}

}  // namespace banzuke::hpl
