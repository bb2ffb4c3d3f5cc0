// SELL-C-sigma (Kreutzer et al., SIAM J. Sci. Comput. 36, 2014): chunks of C rows as long as the longest of them, the
// rows sorted by length within windows of sigma rows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/array.hpp"
#include "core/crs.hpp"
#include "format_crs.hpp"
#include "kernels.hpp"

namespace banzuke::spmv {

// Number of entries stored with windows of `sigma` rows.
std::int64_t count_stored(const Crs& matrix, std::int64_t sigma);

class SellFormat {
 public:
  SellFormat(const Crs& matrix, std::int64_t sigma, const Kernels& kernels, int shares);

  void run(const double* x, double* y);
  std::int64_t stored() const { return static_cast<std::int64_t>(value_.size()) - overhang + long_.stored(); }

 private:
  struct Layout;
  SellFormat(const Crs& matrix, const Layout& layout, const Kernels& kernels, int shares);

  // Returns the arrays from chunk `base` on, where a window begins.
  SellArrays arrays(std::int64_t base) const;
  // Computes y of chunks [begin, end), counted from `base`, where y begins, too.
  void multiply(std::int64_t base, std::int64_t begin, std::int64_t end, const double* x, double* y) const;

  const Kernels& kernels_;
  std::int64_t rows_;
  std::int64_t sigma_;
  std::vector<std::int64_t> cuts_;  // of the chunks
  Array<std::int64_t> start_;
  Array<std::int32_t> column_;
  Array<double> value_;
  Array<std::uint16_t> row_;
  // If the matrix exceeds the caches, y is computed window by window and then written with non-temporal stores, which
  // avoids the write-allocate.
  std::int64_t window_;  // rows; 0: y is written directly
  Array<double> buffers_;
  std::vector<std::int64_t> long_rows_;
  std::vector<double> long_sums_;
  CrsFormat long_;
};

}  // namespace banzuke::spmv
