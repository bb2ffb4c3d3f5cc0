// The process grid and the block-cyclic distribution over it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/communicator.hpp"
#include "core/subcommunicator.hpp"

namespace banzuke::hpl {

// Distance between neighbouring rows or columns of `count` numbers: an odd number of cache lines, so that elements one
// above another do not fall into the same sets of a cache; never a power of two.
constexpr std::int64_t distance_of(std::int64_t count) {
  constexpr std::int64_t line = 64 / sizeof(double);
  return (count + 2 * line - 1) / (2 * line) * (2 * line) + line;
}

// One dimension: blocks of `block` indices are dealt out to `ranks` in turn, the first one to rank 0.
struct Cyclic {
  std::int64_t block = 1;
  int ranks = 1;
  int rank = 0;

  int owner(std::int64_t global) const { return static_cast<int>(global / block % ranks); }
  bool mine(std::int64_t global) const { return owner(global) == rank; }
  // Local indices that stand for global ones before `global`: the local index of `global` itself where it is mine.
  std::int64_t before(std::int64_t global) const {
    const std::int64_t blocks = global / block;
    const std::int64_t rest = std::clamp<std::int64_t>(global - (blocks / ranks * ranks + rank) * block, 0, block);
    return blocks / ranks * block + rest;
  }
  std::int64_t global(std::int64_t local) const { return (local / block * ranks + rank) * block + local % block; }
};

struct Grid {
  // `by_rows`: ranks fill the rows of the grid one after another.
  Grid(const Communicator& ranks, int p, int q, bool by_rows)
      : rows(p),
        columns(q),
        row(by_rows ? ranks.rank() / q : ranks.rank() % p),
        column(by_rows ? ranks.rank() % q : ranks.rank() / p),
        along_row(ranks, row, column),
        along_column(ranks, column, row) {}

  int rows;
  int columns;
  int row;
  int column;
  SubCommunicator along_row;     // the ranks of my row, numbered by their columns
  SubCommunicator along_column;  // the ranks of my column, numbered by their rows
};

}  // namespace banzuke::hpl
