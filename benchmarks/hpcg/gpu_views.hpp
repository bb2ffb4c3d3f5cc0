// A level as kernels see it; filled in by host code.
#pragma once

#include <cstdint>

#include "core/gpu/conjugate.hpp"

namespace banzuke::hpcg {

// Rows of a chunk: those of one warp.
inline constexpr std::int64_t chunk_rows = 32;
using gpu::sum_blocks;
// No two neighbouring points have the same colour.
inline constexpr int colour_count = 8;
// The stage of a sweep for points with these parities of the coordinates, one bit each. Among the orders with the
// coarse grid's points last, CG converges fastest with this one (README.md).
BANZUKE_GPU constexpr int stage_of(std::int64_t odd) {
  constexpr std::uint32_t stages = 0x02654317;
  return static_cast<int>(stages >> (4 * odd) & 0xF);
}

// SELL-32: a slot has one entry of each row of a chunk, all with columns of one colour. The columns are within 2^16 of
// the slot's base, so that a column takes little more than 2 bytes instead of 4.
struct SellView {
  // For each chunk: the first slots of L, M and T, and the end.
  gpu::Elements<const std::int32_t> start;
  gpu::Elements<const std::int32_t> base;
  gpu::Elements<const std::uint16_t> offset;
  gpu::Elements<const double> value;
};

// A = L + D + M + T, by the order of colours: L has the entries of earlier colours, T those of the last one, M those of
// the other later ones.
enum MatrixPart : std::uint8_t { lower_part, middle_part, tail_part, matrix_parts };
struct LevelView {
  SellView matrix;
  gpu::Elements<const double> diagonal;
  gpu::Elements<double> later;          // M x, from the backward sweep from zero
  gpu::Elements<double> known;          // r - L x - outside, from the forward sweep after the correction
  bool edges;                           // whether there are external rows
  gpu::Elements<const double> outside;  // their contribution to each row
};

// Rows in the grid's order, `width` entries each, interleaved over 32 rows.
inline constexpr int width = 27;
struct PlainView {
  std::int64_t rows;                         // columns from here on are external
  gpu::Elements<const std::int32_t> column;  // negative: no more entries in this row
  gpu::Elements<const double> value;

  BANZUKE_GPU static std::int64_t at(std::int64_t row, int k) {
    return (row / chunk_rows * width + k) * chunk_rows + row % chunk_rows;
  }
};

// A rank's box of points.
struct BoxView {
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;
};

// The box in the whole grid, and the external rows around it.
struct PartView {
  BoxView box;
  BoxView whole;
  BoxView begin;
  // First row in each direction, indexed with its steps of -1, 0 or 1 as digits.
  std::int32_t first[27];
};

using gpu::Scalar;
using gpu::Sum;

}  // namespace banzuke::hpcg
