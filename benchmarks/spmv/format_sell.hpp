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

// Entries from which a matrix exceeds the caches.
inline constexpr std::int64_t many_entries = (std::int64_t{32} << 20U) / 12;

// Returns whether the columns of each eight rows, without long ones, are near enough for offsets of 16 bits.
bool columns_near(const Crs& matrix);

// Number of entries stored with windows of `sigma` rows.
std::int64_t count_stored(const Crs& matrix, std::int64_t sigma);

class SellFormat {
 public:
  SellFormat(const Crs& matrix, std::int64_t sigma, const Kernels& kernels, int shares);

  void run(const double* x, double* y);
  // Whether columns are stored in 16 bits.
  bool near() const { return base_.size() > 0; }
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
  // If the matrix exceeds the caches and the columns of each chunk are near each other, they are stored as offsets of
  // 16 bits from the chunk's lowest one, which saves a sixth of the bytes.
  Array<std::int32_t> base_;
  Array<std::uint16_t> offset_;
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
