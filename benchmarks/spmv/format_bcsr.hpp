// BCSR: small dense blocks with one column index each. A block may start at any column: at the first entry that the
// previous block does not cover; rows are blocked in place.
#pragma once

#include <cstdint>
#include <vector>

#include "core/array.hpp"
#include "core/crs.hpp"
#include "kernels.hpp"

namespace banzuke::spmv {

// Number of blocks in block rows [begin, end). The matrix must have at least as many columns as a block.
std::int64_t count_blocks(const Crs& matrix, Shape shape, std::int64_t begin, std::int64_t end);

class BcsrFormat {
 public:
  // `shape` is an index into `shapes`.
  BcsrFormat(const Crs& matrix, std::size_t shape, const Kernels& kernels, int shares);

  void run(const double* x, double* y);
  std::int64_t stored() const { return static_cast<std::int64_t>(value_.size()) - overhang; }

 private:
  BcsrFormat(const Crs& matrix, std::size_t shape, const std::vector<std::int64_t>& start, const Kernels& kernels,
             int shares);

  const Kernels& kernels_;
  std::size_t shape_;
  std::int64_t rows_;
  std::vector<std::int64_t> cuts_;  // of the block rows
  Array<std::int64_t> start_;
  Array<std::int32_t> column_;
  Array<double> value_;
};

}  // namespace banzuke::spmv
