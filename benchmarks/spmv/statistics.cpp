#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace banzuke::spmv {

Statistics statistics(const Crs& matrix) {
  Statistics all{.rows = matrix.rows, .columns = matrix.columns, .nonzeros = matrix.nonzeros()};
  if (all.nonzeros == 0) {
    all.empty_rows = all.rows;
    return all;
  }
  const double mean = static_cast<double>(all.nonzeros) / static_cast<double>(all.rows);
  std::int64_t longest = 0;
  std::int64_t empty = 0;
  std::int64_t bandwidth = 0;
  double squares = 0.0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(max : longest, bandwidth) reduction(+ : empty, squares)
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto columns = matrix.columns_of(row);
    const auto length = static_cast<std::int64_t>(columns.size());
    longest = std::max(longest, length);
    empty += length == 0 ? 1 : 0;
    squares += (static_cast<double>(length) - mean) * (static_cast<double>(length) - mean);
    for (const std::int64_t column : columns) bandwidth = std::max(bandwidth, std::abs(row - column));
  }
  all.row_max = longest;
  all.empty_rows = empty;
  all.bandwidth = bandwidth;
  all.row_mean = mean;
  all.row_cv = std::sqrt(squares / static_cast<double>(all.rows)) / mean;
  return all;
}

}  // namespace banzuke::spmv
