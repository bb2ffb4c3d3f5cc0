// A rank's matrix as kernels see it; filled in by host code.
#pragma once

#include <cstdint>

#include "core/gpu/conjugate.hpp"

namespace banzuke::geofem {

// Rows of a chunk: those of one warp.
inline constexpr std::int64_t chunk_rows = 32;
// Distance between a row's three values in a vector, so that a chunk's rows are contiguous.
inline constexpr int apart = static_cast<int>(chunk_rows);
// Position of a row's first value.
BANZUKE_GPU constexpr std::int64_t place_of_row(std::int64_t row) {
  return row / chunk_rows * (3 * chunk_rows) + row % chunk_rows;
}

// A chunk's slots begin at start[chunk]. Each slot holds one block of each row: nine values and, separately, the
// position of the other row in a vector; rows vary fastest.
struct BlocksView {
  gpu::Elements<const std::int32_t> start;
  gpu::Elements<const double> value;
  gpu::Elements<const std::int32_t> column;
};

struct RowsView {
  BlocksView lower;                      // neighbours of earlier stages
  BlocksView upper;                      // neighbours of later stages
  gpu::Elements<const double> diagonal;  // nine values per row; the rows of a chunk vary fastest
};

// Rows that need other ranks' values, which follow a vector's own ones in groups of three.
struct OuterView {
  BlocksView blocks;
  gpu::Elements<const std::int32_t> place;  // below 0: no row
};

// Chunks of a launch: [`first`, `end`); or, if there are `turns`, those of that many stages, which thread blocks take
// in turn, so that all stages use the values around a part of the cube at the same time.
struct Chunks {
  std::int64_t first;
  std::int64_t end;
  std::int64_t turns;
  gpu::Elements<const std::int64_t> start;  // start of each stage, and the end

  BANZUKE_GPU std::int64_t begin_of(std::int64_t block, std::int64_t chunks_here) const {
    if (turns == 0) return first + block * chunks_here;
    return start[block % turns] + block / turns * chunks_here;
  }
  BANZUKE_GPU std::int64_t end_of(std::int64_t block) const { return turns == 0 ? end : start[block % turns + 1]; }
};

// The rank's box of nodes in the whole cube.
struct BoxView {
  std::int64_t whole[3];
  std::int64_t begin[3];
  std::int64_t size[3];
};

}  // namespace banzuke::geofem
