#include "matrix.hpp"

namespace banzuke::hpl {

Matrix::Matrix(const Grid& grid, std::int64_t n_, std::int64_t nb, const Turns& turns)
    : Distribution(grid, n_, nb, turns), data_(static_cast<std::size_t>(local_rows * ld)) {}

void Matrix::generate() {
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < local_rows; row += 8) {
    each_element(n, rows, columns, local_columns, row, std::min<std::int64_t>(8, local_rows - row),
                 [&](std::size_t i, std::int64_t column, double value) {
                   *at(row + static_cast<std::int64_t>(i), column) = value;
                 });
  }
}

}  // namespace banzuke::hpl
