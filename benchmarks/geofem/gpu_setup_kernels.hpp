// Generates the rows of A and of b on a device from the stencils that assembly.hpp derives from the element.
#pragma once

#include "factorise.hpp"
#include "gpu_kernels.hpp"

namespace banzuke::geofem {

inline constexpr int setup_threads = 128;
inline constexpr int stencil_size = 27 * 9;

struct Position {
  std::int64_t at[3];
  int sides;  // sides on which it has elements, as in Assembly
};

// Rows and nodes of a rank.
struct Assembling {
  BoxView box;
  gpu::Elements<const double> stencil;      // by sides, offset, value
  gpu::Elements<const std::int32_t> node;   // by row; below 0: none
  gpu::Elements<const std::int32_t> row;    // by node
  gpu::Elements<const std::int32_t> stage;  // by node

  BANZUKE_GPU Position position(std::int64_t own) const {
    Position out{{own % box.size[0], own / box.size[0] % box.size[1], own / box.size[0] / box.size[1]}, 0};
    BANZUKE_UNROLL
    for (int d = 0; d < 3; ++d) {
      out.at[d] += box.begin[d];
      if (out.at[d] > 0) out.sides |= 1 << (2 * d);
      if (out.at[d] < box.whole[d] - 1) out.sides |= 2 << (2 * d);
    }
    return out;
  }

  // Returns the node in one of 27 directions; negative if there is none or it is another rank's.
  BANZUKE_GPU std::int64_t beside(const Position& here, int offset) const {
    const std::int64_t x = here.at[0] + offset % 3 - 1 - box.begin[0];
    const std::int64_t y = here.at[1] + offset / 3 % 3 - 1 - box.begin[1];
    const std::int64_t z = here.at[2] + offset / 9 - 1 - box.begin[2];
    if (x < 0 || y < 0 || z < 0 || x >= box.size[0] || y >= box.size[1] || z >= box.size[2]) return -1;
    return x + box.size[0] * (y + box.size[1] * z);
  }

  // Returns a value of A, with prescribed displacements (those at 0 along an axis) eliminated.
  BANZUKE_GPU double value(const Position& here, int offset, int v) const {
    const int steps[3] = {offset % 3 - 1, offset / 3 % 3 - 1, offset / 9 - 1};
    const int i = v / 3;
    const int j = v % 3;
    if (here.at[i] == 0 || here.at[j] + steps[j] == 0) return offset == 13 && i == j ? 1.0 : 0.0;
    return stencil[std::int64_t{here.sides} * stencil_size + offset * 9 + v];
  }
};

// Number of slots that each chunk needs, i.e. those of its longest row: for earlier and for later stages.
struct Count {
  static constexpr int threads = setup_threads;
  struct Shared {
    std::int32_t lower[threads];
    std::int32_t upper[threads];
  };

  Assembling assembling;
  std::int64_t rows;
  gpu::Elements<std::int32_t> lower;
  gpu::Elements<std::int32_t> upper;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    block.each([&](int thread) {
      const std::int64_t row = block.index() * threads + thread;
      shared.lower[thread] = shared.upper[thread] = 0;
      const std::int64_t node = row < rows ? assembling.node[row] : -1;
      if (node < 0) return;
      const Position here = assembling.position(node);
      for (int offset = 0; offset < 27; ++offset) {
        const std::int64_t other = assembling.beside(here, offset);
        if (other < 0 || other == node) continue;
        const bool before = assembling.stage[other] < assembling.stage[node];
        ++(before ? shared.lower : shared.upper)[thread];
      }
    });
    block.each([&](int thread) {
      const std::int64_t row = block.index() * threads + thread;
      if (thread % apart != 0 || row >= rows) return;
      std::int32_t most[2] = {0, 0};
      for (int lane = 0; lane < apart; ++lane) {
        if (shared.lower[thread + lane] > most[0]) most[0] = shared.lower[thread + lane];
        if (shared.upper[thread + lane] > most[1]) most[1] = shared.upper[thread + lane];
      }
      lower[row / chunk_rows] = most[0];
      upper[row / chunk_rows] = most[1];
    });
  }
};

// Blocks being generated.
struct BlocksMade {
  gpu::Elements<const std::int32_t> start;
  gpu::Elements<double> value;
  gpu::Elements<std::int32_t> column;
};

// Fills in a row's blocks and the factors of its diagonal. If a chunk has more slots than the row has blocks, the
// padding is zeros that refer to the row itself.
struct Fill {
  Assembling assembling;
  BlocksMade lower;
  BlocksMade upper;
  gpu::Elements<double> diagonal;
  gpu::Elements<double> factor;

  BANZUKE_GPU void operator()(std::int64_t row) const {
    const std::int64_t chunk = row / chunk_rows;
    const std::int64_t lane = row % chunk_rows;
    const std::int64_t node = assembling.node[row];
    std::int32_t slots[2] = {lower.start[chunk], upper.start[chunk]};
    double own[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    if (node >= 0) {
      const Position here = assembling.position(node);
      for (int offset = 0; offset < 27; ++offset) {
        const std::int64_t other = assembling.beside(here, offset);
        if (other < 0 || other == node) continue;
        const bool before = assembling.stage[other] < assembling.stage[node];
        const BlocksMade& blocks = before ? lower : upper;
        const std::int64_t slot = slots[before ? 0 : 1]++;
        for (int v = 0; v < 9; ++v) {
          blocks.value[(slot * 9 + v) * chunk_rows + lane] = assembling.value(here, offset, v);
        }
        blocks.column[slot * chunk_rows + lane] = static_cast<std::int32_t>(place_of_row(assembling.row[other]));
      }
      for (int v = 0; v < 9; ++v) own[v] = assembling.value(here, 13, v);
    }
    fill_up(lower, chunk, row, slots[0]);
    fill_up(upper, chunk, row, slots[1]);
    for (int v = 0; v < 9; ++v) diagonal[(chunk * 9 + v) * chunk_rows + lane] = own[v];
    factorise(own);
    for (int v = 0; v < 9; ++v) factor[(chunk * 9 + v) * chunk_rows + lane] = own[v];
  }

  BANZUKE_GPU static void fill_up(const BlocksMade& blocks, std::int64_t chunk, std::int64_t row, std::int64_t slot) {
    const std::int64_t lane = row % chunk_rows;
    for (; slot < blocks.start[chunk + 1]; ++slot) {
      for (int v = 0; v < 9; ++v) blocks.value[(slot * 9 + v) * chunk_rows + lane] = 0.0;
      blocks.column[slot * chunk_rows + lane] = static_cast<std::int32_t>(place_of_row(row));
    }
  }
};

// r = b, row by row; yields b squared.
struct LoadValue {
  Assembling assembling;
  gpu::Elements<double> r;

  BANZUKE_GPU double operator()(std::int64_t row) const {
    const std::int64_t node = assembling.node[row];
    double force = 0.0;
    if (node >= 0) {
      const Position here = assembling.position(node);
      if (here.at[2] == assembling.box.whole[2] - 1) {
        force = 1.0;
        for (int d = 0; d < 2; ++d) {
          if (here.at[d] == 0 || here.at[d] == assembling.box.whole[d] - 1) force *= 0.5;
        }
      }
    }
    put_three<apart>(r, place_of_row(row), {0.0, 0.0, force});
    return force * force;
  }
};

}  // namespace banzuke::geofem
