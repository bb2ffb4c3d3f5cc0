// The process grid.
#pragma once

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

struct Grid {
  // `by_rows`: ranks fill the rows of the grid one after another.
  Grid(const Communicator& ranks, int p, int q, bool by_rows)
      : rows(p),
        columns(q),
        row(by_rows ? ranks.rank() / q : ranks.rank() % p),
        column(by_rows ? ranks.rank() % q : ranks.rank() / p),
        along_row(ranks, row, column),
        along_column(ranks, column, row) {}
  // A 1 x 1 grid for every rank alone.
  explicit Grid(const Communicator& ranks)
      : rows(1),
        columns(1),
        row(0),
        column(0),
        along_row(ranks, ranks.rank(), 0),
        along_column(ranks, ranks.rank(), 0) {}

  int rows;
  int columns;
  int row;
  int column;
  SubCommunicator along_row;     // the ranks of my row, numbered by their columns
  SubCommunicator along_column;  // the ranks of my column, numbered by their rows
};

}  // namespace banzuke::hpl
