// The process grid.
#pragma once

#include <cstdint>

#include "core/communicator.hpp"
#include "core/subcommunicator.hpp"

namespace banzuke::hpl {

// Leading dimension for rows or columns of `count` numbers: an odd number of cache lines, never a power of two, so that
// adjacent elements across rows or columns do not map to the same cache sets.
constexpr std::int64_t distance_of(std::int64_t count) {
  constexpr std::int64_t line = 64 / sizeof(double);
  return (count + 2 * line - 1) / (2 * line) * (2 * line) + line;
}

struct Grid {
  // `by_rows`: row-major process grid.
  Grid(const Communicator& ranks, int p, int q, bool by_rows)
      : rows(p),
        columns(q),
        row(by_rows ? ranks.rank() / q : ranks.rank() % p),
        column(by_rows ? ranks.rank() % q : ranks.rank() / p),
        along_row(ranks, row, column),
        along_column(ranks, column, row) {}
  // A separate 1 x 1 grid for every rank.
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
