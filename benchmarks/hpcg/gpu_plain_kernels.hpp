// The reference's plain loops on a device.
#pragma once

#include "core/gpu/kernel.hpp"
#include "gpu_views.hpp"

namespace banzuke::hpcg {

// Returns A x for one row; if `diagonal` is given, it receives the diagonal entry, which is then left out of the sum. A
// batch is loaded completely before any of it is examined, because a branch would wait for each value.
BANZUKE_GPU inline double plain_sum(const PlainView& a, std::int64_t row, const gpu::Elements<double>& x,
                                    double* diagonal) {
  constexpr int in_flight = 9;
  double sum = 0.0;
  for (int first = 0; first < width; first += in_flight) {
    std::int32_t columns[in_flight];
    double values[in_flight];
    double factors[in_flight];
    BANZUKE_UNROLL
    for (int k = 0; k < in_flight; ++k) {
      columns[k] = a.column[PlainView::at(row, first + k)];
      values[k] = a.value[PlainView::at(row, first + k)];
    }
    BANZUKE_UNROLL
    for (int k = 0; k < in_flight; ++k) factors[k] = x[columns[k] < 0 ? row : columns[k]];
    BANZUKE_UNROLL
    for (int k = 0; k < in_flight; ++k) {
      const bool own = diagonal != nullptr && columns[k] == row;
      if (own) *diagonal = values[k];
      sum += own || columns[k] < 0 ? 0.0 : values[k] * factors[k];
    }
  }
  return sum;
}

// Gauss-Seidel on rows that do not depend on each other.
struct PlainRelax {
  PlainView a;
  gpu::Elements<const std::int32_t> rows;
  gpu::Elements<const double> r;
  gpu::Elements<double> x;

  BANZUKE_GPU void operator()(std::int64_t i) const {
    const std::int64_t row = rows[i];
    double diagonal = 1.0;
    const double sum = plain_sum(a, row, x, &diagonal);
    x[row] = (r[row] - sum) / diagonal;
  }
};

// Checks the rows' dependency levels: a row's level must exceed those of all earlier rows that it depends on. Counts
// the entries that contradict this.
struct CheckLevels {
  BoxView box;
  PlainView a;
  gpu::Elements<double> conflicts;

  BANZUKE_GPU std::int64_t level(std::int64_t row) const {
    return row % box.x + 2 * (row / box.x % box.y) + 4 * (row / box.x / box.y);
  }
  BANZUKE_GPU void operator()(std::int64_t row) const {
    for (int k = 0; k < width; ++k) {
      const std::int64_t column = a.column[PlainView::at(row, k)];
      if (column < 0 || column == row || column >= a.rows) continue;
      if ((column < row) != (level(column) < level(row)) || level(column) == level(row)) {
        gpu::add_at_once(conflicts, 0, 1.0);
      }
    }
  }
};

struct PlainProduct {
  PlainView a;
  gpu::Elements<double> x;
  gpu::Elements<double> y;

  BANZUKE_GPU void operator()(std::int64_t row) const { y[row] = plain_sum(a, row, x, nullptr); }
};

struct PlainRestrict {
  PlainView a;
  gpu::Elements<const std::int32_t> fine_row;
  gpu::Elements<const double> r;
  gpu::Elements<double> x;
  gpu::Elements<double> right;

  BANZUKE_GPU void operator()(std::int64_t coarse) const {
    const std::int64_t row = fine_row[coarse];
    right[coarse] = r[row] - plain_sum(a, row, x, nullptr);
  }
};

struct PlainCorrect {
  gpu::Elements<const std::int32_t> fine_row;
  gpu::Elements<const double> answer;
  gpu::Elements<double> x;

  BANZUKE_GPU void operator()(std::int64_t coarse) const { x[fine_row[coarse]] += answer[coarse]; }
};

}  // namespace banzuke::hpcg
