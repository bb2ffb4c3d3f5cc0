#include "gpu_matrix.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "choose.hpp"
#include "core/parameters.hpp"

namespace banzuke::spmv {
namespace {

std::int64_t length_of(const Crs& matrix, std::int64_t row) {
  return matrix.start[index(row) + 1] - matrix.start[index(row)];
}

// The rows by decreasing length within windows of sigma rows.
std::vector<std::int32_t> by_length(const Crs& matrix, std::int64_t sigma) {
  std::vector<std::int32_t> order(index(matrix.rows));
  std::iota(order.begin(), order.end(), 0);
  if (sigma == 1) return order;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t first = 0; first < matrix.rows; first += sigma) {
    std::stable_sort(order.begin() + first, order.begin() + std::min(first + sigma, matrix.rows),
                     [&](std::int32_t a, std::int32_t b) { return length_of(matrix, a) > length_of(matrix, b); });
  }
  return order;
}

std::vector<std::int64_t> chunk_offsets(const Crs& matrix, const std::vector<std::int32_t>& order) {
  const std::int64_t chunks = (matrix.rows + gpu_chunk - 1) / gpu_chunk;
  std::vector<std::int64_t> start(index(chunks) + 1);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < chunks; ++i) {
    std::int64_t longest = 0;
    for (std::int64_t at = gpu_chunk * i; at < std::min(gpu_chunk * (i + 1), matrix.rows); ++at) {
      longest = std::max(longest, length_of(matrix, order[index(at)]));
    }
    start[index(i) + 1] = gpu_chunk * longest;
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  return start;
}

}  // namespace

double gpu_sell_fill(const Crs& matrix, std::int64_t sigma) {
  if (matrix.nonzeros() == 0) return 1.0;
  const auto stored = chunk_offsets(matrix, by_length(matrix, sigma)).back();
  return static_cast<double>(stored) / static_cast<double>(matrix.nonzeros());
}

GpuSell gpu_sell(const Crs& matrix, std::int64_t sigma) {
  GpuSell out{.sigma = sigma};
  const auto order = by_length(matrix, sigma);
  out.start = chunk_offsets(matrix, order);
  const auto chunks = static_cast<std::int64_t>(out.start.size()) - 1;
  out.row.assign(index(chunks * gpu_chunk), -1);
  out.column.assign(index(out.start.back()), 0);
  out.value.assign(index(out.start.back()), 0.0);
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < matrix.rows; ++at) {
    const std::int32_t row = order[index(at)];
    out.row[index(at)] = row;
    const auto columns = matrix.columns_of(row);
    const auto values = matrix.values_of(row);
    const std::int64_t first = out.start[index(at / gpu_chunk)] + at % gpu_chunk;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto place = index(first) + k * static_cast<std::size_t>(gpu_chunk);
      out.column[place] = columns[k];
      out.value[place] = values[k];
    }
  }
  return out;
}

std::vector<std::int32_t> merge_tiles(const Crs& matrix) {
  const std::int64_t path = matrix.rows + matrix.nonzeros();
  const std::int64_t tiles = (path + merge_tile - 1) / merge_tile;
  std::vector<std::int32_t> row(index(tiles) + 1);
#pragma omp parallel for schedule(static)
  for (std::int64_t tile = 0; tile <= tiles; ++tile) {
    const std::int64_t step = std::min(tile * merge_tile, path);
    // Row r ends at step start[r + 1] + r of the path.
    std::int64_t low = 0;
    std::int64_t high = matrix.rows;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (matrix.start[index(middle) + 1] + middle < step) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    row[index(tile)] = static_cast<std::int32_t>(low);
  }
  return row;
}

GpuChoice gpu_choose(const Crs& matrix, const std::string& format) {
  if (format == "merge") return {.format = format};
  constexpr double enough = 1.05;
  GpuChoice best{.format = "sell"};
  double least = INFINITY;
  for (const std::int64_t sigma : {1, 256, 4096, 16384}) {
    const double fill = gpu_sell_fill(matrix, sigma);
    if (fill < least) {
      best.sigma = sigma;
      least = fill;
    }
    if (fill <= enough) break;
  }
  if (format == "sell") {
    if (least > most_fill) {
      throw UsageError("format: sell would store this matrix " + std::to_string(least) +
                       " times over; format=auto chooses one that suits it");
    }
    return best;
  }
  // Merge-path reads where rows end as well: 8 bytes a row beside 12 an entry, and synchronises its threads.
  constexpr double worth = 1.25;
  // With fewer rows than threads most of the device would be idle.
  constexpr std::int64_t fewest_rows = 100'000;
  const double mean =
      matrix.rows == 0 ? 0.0 : static_cast<double>(matrix.nonzeros()) / static_cast<double>(matrix.rows);
  constexpr double long_rows = 64.0;
  const bool enough_rows = matrix.rows >= fewest_rows || mean < long_rows;
  return least <= worth && enough_rows ? best : GpuChoice{.format = "merge"};
}

}  // namespace banzuke::spmv
