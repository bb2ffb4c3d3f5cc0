// A rank's part of the matrix [A b]: its layout, and for the processors its elements.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "core/array.hpp"
#include "cyclic.hpp"
#include "generator.hpp"
#include "grid.hpp"

namespace banzuke::hpl {

// Row-major, so that the rows interchanged in every step are contiguous, and a swap costs a pass over them instead of a
// cache line per element.
struct Distribution {
  // `turns`: for the grid's columns.
  Distribution(const Grid& grid, std::int64_t n, std::int64_t nb, const Turns& turns)
      : n(n),
        rows(nb, grid.rows, grid.row),
        columns(nb, turns, grid.column),
        local_rows(rows.before(n)),
        local_columns(columns.before(n + 1)),
        ld(distance_of(local_columns)) {}

  std::int64_t n;
  Cyclic rows;
  Cyclic columns;
  std::int64_t local_rows;
  std::int64_t local_columns;  // including b, column n
  std::int64_t ld;
};

class Matrix : public Distribution {
 public:
  Matrix(const Grid& grid, std::int64_t n, std::int64_t nb, const Turns& turns);

  double* at(std::int64_t row, std::int64_t column) { return data_.data() + row * ld + column; }
  const double* at(std::int64_t row, std::int64_t column) const { return data_.data() + row * ld + column; }

  // Sets every element from its global row and column, with all threads; `element` must be thread-safe.
  template <class Element>
  void fill(const Element& element) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < local_rows; ++row) {
      for (std::int64_t column = 0; column < local_columns; ++column) {
        *at(row, column) = element(rows.global(row), columns.global(column));
      }
    }
  }
  // The official problem.
  void generate();

 private:
  Array<double> data_;
};

// Generates `count` (at most 8) rows of the official matrix at once, from local row `row` on, and calls take(i, local
// column, value) for each element: eight independent chains keep the multiplier busy.
template <class Take>
void each_element(std::int64_t n, const Cyclic& rows, const Cyclic& columns, std::int64_t local_columns,
                  std::int64_t row, std::int64_t count, Take take) {
  if (local_columns == 0) return;
  constexpr std::size_t chains = 8;
  const Jump column_step = steps(static_cast<std::uint64_t>(n));
  std::int64_t others = -1;  // columns of other ranks that block_step skips; constant for equal shares
  Jump block_step;
  std::array<std::uint64_t, chains> x{};
  for (std::size_t i = 0; i < chains; ++i) {
    const std::int64_t local = row + std::min(static_cast<std::int64_t>(i), count - 1);
    x[i] = state(n, rows.global(local), columns.global(0));
  }
  for (std::int64_t begin = 0; begin < local_columns; begin += columns.block) {
    const std::int64_t end = std::min(local_columns, begin + columns.block);
    for (std::int64_t column = begin; column < end; ++column) {
      for (std::size_t i = 0; i < chains; ++i) {
        if (std::cmp_less(i, count)) take(i, column, value_of(x[i]));
        x[i] = column_step(x[i]);
      }
    }
    if (end == local_columns) break;
    const std::int64_t passed = columns.global(end) - columns.global(end - 1) - 1;
    if (passed != others) {
      others = passed;
      block_step = steps(static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(others));
    }
    for (std::uint64_t& one : x) one = block_step(one);
  }
}

}  // namespace banzuke::hpl
