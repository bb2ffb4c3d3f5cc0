#include "format_crs.hpp"

#include <algorithm>

#include "core/thread_rates.hpp"
#include "shares.hpp"

namespace banzuke::spmv {

CrsFormat::CrsFormat(const Crs& matrix, Cut cut, const Kernels& kernels, int shares)
    : kernels_(kernels),
      carry_(static_cast<std::size_t>(shares)),
      start_(matrix.start.size()),
      column_(matrix.column.size() + overhang),
      value_(matrix.value.size() + overhang) {
  const std::vector<std::int64_t> rows = cut_rows(matrix.start, shares);
  const std::int64_t path = matrix.rows + matrix.nonzeros();
  for (int i = 0; i <= shares; ++i) {
    std::int64_t row = rows[static_cast<std::size_t>(i)];
    std::int64_t entry = matrix.start[static_cast<std::size_t>(row)];
    if (cut == Cut::anywhere && i < shares) {
      const std::int64_t at = team_parts(shares).before(i, path);
      if (entry + row > at) {  // the cut is within the row before
        --row;
        entry = at - row;
      }
    }
    shares_.push_back({row, entry});
  }
  each_share(shares, [&](int i) {
    const auto [row, entry] = shares_[static_cast<std::size_t>(i)];
    const auto [last_row, last_entry] = shares_[static_cast<std::size_t>(i) + 1];
    std::copy(matrix.start.data() + row, matrix.start.data() + last_row, start_.data() + row);
    std::copy(matrix.column.data() + entry, matrix.column.data() + last_entry, column_.data() + entry);
    std::copy(matrix.value.data() + entry, matrix.value.data() + last_entry, value_.data() + entry);
  });
  start_[start_.size() - 1] = matrix.nonzeros();
}

void CrsFormat::run(const double* x, double* y) {
  const CrsArrays a{start_.data(), column_.data(), value_.data()};
  const int shares = static_cast<int>(carry_.size());
  each_share(shares, [&](int i) {
    auto [row, entry] = shares_[static_cast<std::size_t>(i)];
    const auto [last_row, last_entry] = shares_[static_cast<std::size_t>(i) + 1];
    if (row < last_row && entry > a.start[row]) {
      y[row] = kernels_.part(a, entry, a.start[row + 1], x);
      entry = a.start[++row];
    }
    kernels_.rows(a, row, last_row, x, y);
    if (last_row > row) entry = a.start[last_row];
    carry_[static_cast<std::size_t>(i)] = entry < last_entry ? kernels_.part(a, entry, last_entry, x) : 0.0;
  });
  for (int i = 0; i + 1 < shares; ++i) {
    const auto row = shares_[static_cast<std::size_t>(i) + 1].row;
    if (carry_[static_cast<std::size_t>(i)] != 0.0) y[row] += carry_[static_cast<std::size_t>(i)];
  }
}

}  // namespace banzuke::spmv
