#include "choose.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parameters.hpp"
#include "format_bcsr.hpp"
#include "format_sell.hpp"

namespace banzuke::spmv {
namespace {

constexpr double entry_bytes = 12.0;  // a value and its column index

struct Blocks {
  std::size_t shape = 0;
  double bytes = INFINITY;  // per non-zero, without row pointers
  double fill = INFINITY;
};

// Returns bytes and fill of blocks of this shape, estimated from every `stride`-th run of 64 block rows.
Blocks blocks_of(const Crs& matrix, std::size_t shape, std::int64_t stride) {
  const std::int64_t height = shapes[shape].rows;
  const std::int64_t width = shapes[shape].columns;
  if (matrix.columns < width) return {.shape = shape};
  constexpr std::int64_t run = 64;
  const std::int64_t block_rows = (matrix.rows + height - 1) / height;
  const std::int64_t runs = (block_rows + run - 1) / run;
  std::int64_t blocks = 0;
  std::int64_t nonzeros = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : blocks, nonzeros)
  for (std::int64_t i = 0; i < runs; i += stride) {
    const std::int64_t first = i * run;
    const std::int64_t last = std::min(first + run, block_rows);
    blocks += count_blocks(matrix, shapes[shape], first, last);
    nonzeros += matrix.start[static_cast<std::size_t>(std::min(last * height, matrix.rows))] -
                matrix.start[static_cast<std::size_t>(first * height)];
  }
  if (nonzeros == 0) return {.shape = shape, .bytes = entry_bytes, .fill = 1.0};
  const double fill = static_cast<double>(blocks * height * width) / static_cast<double>(nonzeros);
  return {.shape = shape, .bytes = fill * (8.0 + 4.0 / static_cast<double>(height * width)), .fill = fill};
}

// Returns the blocks with the fewest bytes, estimated from a sample of the matrix.
Blocks best_blocks(const Crs& matrix) {
  constexpr std::int64_t sampled_rows = 20'000;
  const std::int64_t stride = std::max<std::int64_t>(1, matrix.rows / sampled_rows);
  Blocks best;
  for (std::size_t shape = 0; shape < std::size(shapes); ++shape) {
    const Blocks blocks = blocks_of(matrix, shape, stride);
    if (blocks.bytes < best.bytes) best = blocks;
  }
  return best;
}

// The smallest window with which at most `enough` times the non-zeros are stored, or the one that stores least.
struct Windows {
  std::int64_t sigma = 1;
  double fill = INFINITY;
};

Windows best_windows(const Crs& matrix, double enough) {
  Windows best;
  for (const auto sigma : {std::int64_t{1}, std::int64_t{256}, std::int64_t{4096}, most_sigma}) {
    const auto stored = static_cast<double>(count_stored(matrix, sigma));
    const double fill = matrix.nonzeros() == 0 ? 1.0 : stored / static_cast<double>(matrix.nonzeros());
    if (fill < best.fill) best = {sigma, fill};
    if (fill <= enough) break;
  }
  return best;
}

[[noreturn]] void refuse(const std::string& format, double fill) {
  throw UsageError("format: " + format + " would store this matrix " + std::to_string(fill) +
                   " times over; format=auto chooses one that suits it");
}

}  // namespace

Choice choose(const Crs& matrix, const std::string& format, int threads) {
  constexpr double enough = 1.05;
  if (format == "crs" || format == "merge") return {.format = format};
  if (format == "sell") {
    const Windows windows = best_windows(matrix, enough);
    if (windows.fill > most_fill) refuse(format, windows.fill);
    return {.format = format, .sigma = windows.sigma};
  }
  const Blocks blocks = best_blocks(matrix);
  if (format == "bcsr") {
    if (matrix.columns < shapes[0].columns) {
      throw UsageError(
          "format: the smallest blocks of bcsr are 2 x 2, but this matrix has fewer columns; use format=crs");
    }
    if (blocks.fill > most_fill) refuse(format, blocks.fill);
    return {.format = format, .shape = blocks.shape};
  }
  if (blocks.bytes < 0.9 * entry_bytes) return {.format = "bcsr", .shape = blocks.shape};
  // There are too few rows for all threads.
  if (matrix.rows < 4 * chunk * static_cast<std::int64_t>(threads)) return {.format = "merge"};
  const Windows windows = best_windows(matrix, enough);
  // CRS has a cost at the end of each row, so for short rows SELL may have more padding.
  constexpr double long_rows = 64.0;
  const double mean = static_cast<double>(matrix.nonzeros()) / static_cast<double>(matrix.rows);
  if (windows.fill < (mean < long_rows ? 1.5 : 1.1)) return {.format = "sell", .sigma = windows.sigma};
  return {.format = "merge"};
}

double least_bytes(const Crs& matrix) {
  const Blocks sampled = best_blocks(matrix);
  const double blocked = sampled.bytes < entry_bytes ? blocks_of(matrix, sampled.shape, 1).bytes : entry_bytes;
  constexpr double near_bytes = 10.0;  // a value and an offset of 16 bits
  const double single = matrix.nonzeros() > many_entries && columns_near(matrix) ? near_bytes : entry_bytes;
  return static_cast<double>(matrix.nonzeros()) * std::min(single, blocked);
}

}  // namespace banzuke::spmv
