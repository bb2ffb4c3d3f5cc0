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

// Counts the lines that a cache must load: in a window of `most` distinct lines, all but those that it holds.
class LineWindows {
 public:
  LineWindows(std::int64_t lines, std::int64_t capacity, std::int64_t most)
      : met_(index(lines)), capacity_(capacity), most_(most) {}

  void meet(std::int64_t line) {
    std::int32_t& last = met_[index(line)];
    if (last == window_) return;
    last = window_;
    if (++distinct_ < most_) return;
    loads_ += distinct_ - capacity_;
    distinct_ = 0;
    ++window_;
  }

  std::int64_t loads() const { return loads_ + std::max<std::int64_t>(distinct_ - capacity_, 0); }

 private:
  std::vector<std::int32_t> met_;  // the last window, counted from 1
  std::int64_t capacity_;
  std::int64_t most_;
  std::int32_t window_ = 1;
  std::int64_t distinct_ = 0;
  std::int64_t loads_ = 0;
};

}  // namespace

std::int64_t least_loads(std::span<const std::int32_t> columns, std::int64_t line, std::int64_t capacity) {
  if (columns.empty()) return 0;
  LineWindows windows(std::ranges::max(columns) / line + 1, capacity, window_capacities * capacity);
  for (const std::int64_t column : columns) windows.meet(column / line);
  return windows.loads();
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

std::int64_t least_loads_together(const Crs& matrix, std::int64_t threads, std::int64_t capacity) {
  const std::int64_t lines = (matrix.columns + line_elements - 1) / line_elements;
  if (lines <= capacity) return 0;
  // Few more lines than the cache has are never all met in a window: it ends half way.
  LineWindows windows(lines, capacity, std::min(window_capacities * capacity, (capacity + lines + 1) / 2));
  const std::int64_t longest = (matrix.nonzeros() + threads - 1) / threads;
  for (std::int64_t step = 0; step < longest; ++step) {
    for (std::int64_t thread = 0; thread < threads; ++thread) {
      const std::int64_t entry = matrix.nonzeros() * thread / threads + step;
      if (entry >= matrix.nonzeros() * (thread + 1) / threads) continue;
      windows.meet(matrix.column[index(entry)] / line_elements);
    }
  }
  return windows.loads();
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
