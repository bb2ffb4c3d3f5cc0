// Formats of a matrix on a device, made on the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/crs.hpp"

namespace banzuke::spmv {

// SELL-C-sigma with C = 32 rows, a warp of threads: entry k of the chunk's rows lie one after another.
inline constexpr std::int64_t gpu_chunk = 32;
struct GpuSell {
  std::int64_t sigma = 1;
  std::vector<std::int64_t> start{};   // of each chunk among the entries, and the end
  std::vector<std::int32_t> row{};     // of each place in the chunks; -1: there is none
  std::vector<std::int32_t> column{};  // where there is no entry 0, with the value 0
  std::vector<double> value{};
};
// Entries stored with such windows over non-zeros.
double gpu_sell_fill(const Crs& matrix, std::int64_t sigma);
GpuSell gpu_sell(const Crs& matrix, std::int64_t sigma);

// Merge-path (Merrill and Garland, SC16): the path through ends of rows and entries is cut into tiles of equal length,
// whatever the rows' lengths. The row in which each tile begins, and the last one's end.
inline constexpr std::int64_t merge_tile = 896;
std::vector<std::int32_t> merge_tiles(const Crs& matrix);

struct GpuChoice {
  std::string format;      // "sell" or "merge"
  std::int64_t sigma = 1;  // of SELL
};
// `format` is one of these or "auto". Throws UsageError where SELL would store the matrix more than three times over.
GpuChoice gpu_choose(const Crs& matrix, const std::string& format);

}  // namespace banzuke::spmv
