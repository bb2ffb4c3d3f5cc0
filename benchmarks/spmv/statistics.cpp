#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace banzuke::spmv {
namespace {

constexpr std::int64_t line_elements = 8;  // of 64 bytes
constexpr std::int64_t cache_lines = 16384;
constexpr std::int64_t threads = 8;
constexpr std::int64_t window_capacities = 4;  // of random columns, three quarters of the loads are then counted

}  // namespace

std::int64_t least_loads(std::span<const std::int32_t> columns, std::int64_t line, std::int64_t capacity) {
  if (columns.empty()) return 0;
  std::vector<std::int32_t> met(index(std::ranges::max(columns) / line) + 1);  // the last window, counted from 1
  std::int32_t window = 1;
  std::int64_t distinct = 0;
  std::int64_t loads = 0;
  for (const std::int64_t column : columns) {
    std::int32_t& last = met[index(column / line)];
    if (last == window) continue;
    last = window;
    if (++distinct < window_capacities * capacity) continue;
    loads += distinct - capacity;
    distinct = 0;
    ++window;
  }
  return loads + std::max<std::int64_t>(distinct - capacity, 0);
}

std::int64_t least_loads_of(const Crs& matrix, std::int64_t threads, std::int64_t capacity) {
  if (matrix.columns <= line_elements * capacity) return 0;
  std::int64_t loads = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : loads)
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    const std::int64_t first = matrix.nonzeros() * thread / threads;
    const std::int64_t behind = matrix.nonzeros() * (thread + 1) / threads;
    loads += least_loads({matrix.column.data() + first, index(behind - first)}, line_elements, capacity);
  }
  return loads;
}

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
  const std::int64_t loads = least_loads_of(matrix, threads, cache_lines);
  all.x_lines = static_cast<double>(loads) / static_cast<double>(all.nonzeros);
  return all;
}

}  // namespace banzuke::spmv
