#include "format_bcsr.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "shares.hpp"

namespace banzuke::spmv {
namespace {

constexpr int highest = 4;

// Calls place(number of the block, its first column, row within the block, column within the block, value) for each
// entry, block by block, and returns the number of blocks.
template <class Place>
std::int64_t visit(const Crs& matrix, Shape shape, std::int64_t block_row, const Place& place) {
  std::array<std::int64_t, highest> at{};
  std::array<std::int64_t, highest> end{};
  const std::int64_t first = block_row * shape.rows;
  const int height = static_cast<int>(std::min<std::int64_t>(shape.rows, matrix.rows - first));
  for (int r = 0; r < height; ++r) {
    at[static_cast<std::size_t>(r)] = matrix.start[static_cast<std::size_t>(first + r)];
    end[static_cast<std::size_t>(r)] = matrix.start[static_cast<std::size_t>(first + r) + 1];
  }
  for (std::int64_t blocks = 0;; ++blocks) {
    std::int64_t column = matrix.columns;
    for (int r = 0; r < height; ++r) {
      const auto k = static_cast<std::size_t>(at[static_cast<std::size_t>(r)]);
      if (at[static_cast<std::size_t>(r)] < end[static_cast<std::size_t>(r)]) {
        column = std::min<std::int64_t>(column, matrix.column[k]);
      }
    }
    if (column == matrix.columns) return blocks;
    column = std::min(column, matrix.columns - shape.columns);
    for (int r = 0; r < height; ++r) {
      auto& k = at[static_cast<std::size_t>(r)];
      for (; k < end[static_cast<std::size_t>(r)]; ++k) {
        const std::int64_t within = matrix.column[static_cast<std::size_t>(k)] - column;
        if (within >= shape.columns) break;
        place(blocks, column, r, within, matrix.value[static_cast<std::size_t>(k)]);
      }
    }
  }
}

std::vector<std::int64_t> block_starts(const Crs& matrix, Shape shape) {
  const std::int64_t block_rows = (matrix.rows + shape.rows - 1) / shape.rows;
  std::vector<std::int64_t> start(static_cast<std::size_t>(block_rows) + 1);
#pragma omp parallel for schedule(dynamic, 256)
  for (std::int64_t i = 0; i < block_rows; ++i) {
    start[static_cast<std::size_t>(i) + 1] = count_blocks(matrix, shape, i, i + 1);
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  return start;
}

}  // namespace

std::int64_t count_blocks(const Crs& matrix, Shape shape, std::int64_t begin, std::int64_t end) {
  std::int64_t blocks = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    blocks += visit(matrix, shape, i, [](std::int64_t, std::int64_t, int, std::int64_t, double) {});
  }
  return blocks;
}

BcsrFormat::BcsrFormat(const Crs& matrix, std::size_t shape, const Kernels& kernels, int shares)
    : BcsrFormat(matrix, shape, block_starts(matrix, shapes[shape]), kernels, shares) {}

BcsrFormat::BcsrFormat(const Crs& matrix, std::size_t shape, const std::vector<std::int64_t>& start,
                       const Kernels& kernels, int shares)
    : kernels_(kernels),
      shape_(shape),
      rows_(matrix.rows),
      cuts_(cut_rows(start, shares)),
      start_(start.size()),
      column_(static_cast<std::size_t>(start.back())),
      value_(static_cast<std::size_t>(start.back() * shapes[shape].rows * shapes[shape].columns) + overhang) {
  const int height = shapes[shape].rows;  // no structured binding, because Clang before 16 cannot capture one
  const int width = shapes[shape].columns;
  each_share(shares, [&](int share) {
    for (auto i = cuts_[static_cast<std::size_t>(share)]; i < cuts_[static_cast<std::size_t>(share) + 1]; ++i) {
      const std::int64_t first = start[static_cast<std::size_t>(i)];
      start_[static_cast<std::size_t>(i)] = first;
      visit(matrix, shapes[shape], i,
            [&](std::int64_t block, std::int64_t column, int row, std::int64_t within, double value) {
              column_[static_cast<std::size_t>(first + block)] = static_cast<std::int32_t>(column);
              value_[static_cast<std::size_t>((first + block) * height * width + within * height + row)] = value;
            });
    }
  });
  start_[start.size() - 1] = start.back();
}

void BcsrFormat::run(const double* x, double* y) {
  const BcsrArrays a{start_.data(), column_.data(), value_.data()};
  const int height = shapes[shape_].rows;
  const auto multiply = kernels_.blocks[shape_];
  const std::int64_t whole = rows_ / height;
  each_share(static_cast<int>(cuts_.size()) - 1, [&](int share) {
    const auto first = cuts_[static_cast<std::size_t>(share)];
    const auto last = cuts_[static_cast<std::size_t>(share) + 1];
    multiply(a, std::min(first, whole), std::min(last, whole), x, y);
    if (first <= whole && whole < last) {  // the last block row, if it is not full
      std::array<double, highest> sums{};
      multiply({a.start + whole, a.column, a.value}, 0, 1, x, sums.data());
      std::copy(sums.data(), sums.data() + rows_ % height, y + whole * height);
    }
  });
}

}  // namespace banzuke::spmv
