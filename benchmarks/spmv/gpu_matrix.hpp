// Matrix formats for devices, built on the host.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/crs.hpp"
#include "gpu_parts.hpp"

namespace banzuke::spmv {

// Rows, each summed by a group of threads; long ones are cut into parts for several groups.
struct RowParts {
  std::vector<std::int64_t> start = {0};  // first entry of each part, and the end
  std::vector<std::int32_t> row{};        // of each part; ~ the number of a cut row; empty: part i is row i
  std::vector<CutRow> cut{};
};
// `names`: used in place of row numbers.
RowParts part_rows(const Crs& matrix, const std::vector<std::int32_t>& names = {});

// SELL-C-sigma with C = 32 rows, one warp: entries k of a chunk's rows are contiguous.
inline constexpr std::int64_t gpu_chunk = 32;
inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// The order of the rows, and where each chunk begins.
struct SellLayout {
  std::int64_t sigma = 1;
  std::int64_t longest = no_limit;    // longer rows are stored separately
  std::vector<std::int32_t> order{};  // rows by decreasing length within windows; separated rows come last
  std::vector<std::int64_t> start{};  // first entry of each chunk, and the end
  double fill = 1.0;                  // stored entries over non-zeros, including separated rows
};
SellLayout sell_layout(const Crs& matrix, std::int64_t sigma, std::int64_t longest = no_limit);
// Returns a layout with windows that suit the matrix and with long rows stored separately.
SellLayout sell_layout(const Crs& matrix);

struct GpuSell {
  std::int64_t sigma = 1;
  std::vector<std::int64_t> start{};
  std::vector<std::uint16_t> row{};    // of each place in the chunks, within its window; `no_row`: separated
  std::vector<std::int32_t> column{};  // padding has column 0 and value 0
  std::vector<double> value{};
  Crs apart{};  // the long rows
  RowParts parts{};
};
GpuSell gpu_sell(const Crs& matrix, const SellLayout& layout);

}  // namespace banzuke::spmv
