// What kernels see of a rank's matrix; host code fills these in.
#pragma once

#include <cstdint>

#include "core/gpu/conjugate.hpp"

namespace banzuke::geofem {

// Rows side by side, those of a warp of threads: a chunk.
inline constexpr std::int64_t chunk_rows = 32;
// A row's three values in a vector lie so far apart, so that those of a chunk's rows are side by side.
inline constexpr int apart = static_cast<int>(chunk_rows);
// Where the first is.
BANZUKE_GPU constexpr std::int64_t place_of_row(std::int64_t row) {
  return row / chunk_rows * (3 * chunk_rows) + row % chunk_rows;
}

// Slots of a chunk lie from start[chunk] on. Each has a block of each row: nine values, then (apart) the place of the
// other row in a vector; rows fastest.
struct BlocksView {
  gpu::Elements<const std::int32_t> start;
  gpu::Elements<const double> value;
  gpu::Elements<const std::int32_t> column;
};

struct RowsView {
  BlocksView lower;                      // neighbours of earlier stages
  BlocksView upper;                      // and of later ones
  gpu::Elements<const double> diagonal;  // nine values a row, rows of a chunk fastest
};

// Rows that need other ranks' values, which lie three by three after a vector's own ones.
struct OuterView {
  BlocksView blocks;
  gpu::Elements<const std::int32_t> place;  // below 0: no row
};

// Chunks that a launch takes: from `first` to before `end`; or, where there are `turns`, those of so many stages, which
// blocks of threads take in turn, so that the values around a part of the cube are used by all of them at once.
struct Chunks {
  std::int64_t first;
  std::int64_t end;
  std::int64_t turns;
  gpu::Elements<const std::int64_t> start;  // of each stage, and the end

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
