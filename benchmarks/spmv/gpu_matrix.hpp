// Formats of a matrix on a device, made on the host.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/crs.hpp"
#include "gpu_parts.hpp"

namespace banzuke::spmv {

// Rows, each summed up by a group of threads; long ones are cut into parts, so that several groups share them.
struct RowParts {
  std::vector<std::int64_t> start = {0};  // of each part among the entries, and the end
  std::vector<std::int32_t> row{};        // of each part; ~ the number of a cut row; empty: part i is row i
  std::vector<CutRow> cut{};
};
// `names`: what its rows are called, in place of their numbers.
RowParts part_rows(const Crs& matrix, const std::vector<std::int32_t>& names = {});

// SELL-C-sigma with C = 32 rows, a warp of threads: entry k of the chunk's rows lie one after another.
inline constexpr std::int64_t gpu_chunk = 32;
inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// Which row is where.
struct SellLayout {
  std::int64_t sigma = 1;
  std::int64_t longest = no_limit;    // longer rows are apart
  std::vector<std::int32_t> order{};  // the rows by decreasing length within windows; those apart come last
  std::vector<std::int64_t> start{};  // of each chunk among the entries, and the end
  double fill = 1.0;                  // entries stored over non-zeros, with those apart
};
SellLayout sell_layout(const Crs& matrix, std::int64_t sigma, std::int64_t longest = no_limit);
// With the windows that suit the matrix, and long rows apart.
SellLayout sell_layout(const Crs& matrix);

struct GpuSell {
  std::int64_t sigma = 1;
  std::vector<std::int64_t> start{};
  std::vector<std::uint16_t> row{};    // of each place in the chunks, within its window; `no_row`: it is apart
  std::vector<std::int32_t> column{};  // where there is no entry 0, with the value 0
  std::vector<double> value{};
  Crs apart{};  // the long rows
  RowParts parts{};
};
GpuSell gpu_sell(const Crs& matrix, const SellLayout& layout);

}  // namespace banzuke::spmv
