// CRS, divided among the threads by non-zeros and rows together.
#pragma once

#include <cstdint>
#include <vector>

#include "core/array.hpp"
#include "core/crs.hpp"
#include "kernels.hpp"

namespace banzuke::spmv {

// `anywhere`: equal shares of the path through rows and non-zeros (merge-path: Merrill and Garland, SC16), so that long
// rows are divided, too.
enum class Cut { rows, anywhere };

class CrsFormat {
 public:
  CrsFormat(const Crs& matrix, Cut cut, const Kernels& kernels, int shares);

  void run(const double* x, double* y);
  std::int64_t stored() const { return static_cast<std::int64_t>(value_.size()) - overhang; }

 private:
  // The rows that end in a share, the first from `entry` on, followed by the beginning of a row that ends in another
  // share.
  struct Share {
    std::int64_t row = 0;
    std::int64_t entry = 0;
  };

  const Kernels& kernels_;
  std::vector<Share> shares_;
  std::vector<double> carry_;  // each share's partial sum of the row that does not end in it
  Array<std::int64_t> start_;
  Array<std::int32_t> column_;
  Array<double> value_;
};

}  // namespace banzuke::spmv
