// Which rank has which blocks, and which blocks travel between two ranks.
#pragma once

#include <cstdint>
#include <vector>

namespace banzuke::ptrans {

// One dimension of a matrix over a dimension of the grid: blocks of `nb` of `n` indices, to each place in turn.
struct Axis {
  std::int64_t n;
  std::int64_t nb;
  std::int64_t places;
  std::int64_t place;

  std::int64_t blocks() const { return (n + nb - 1) / nb; }
  // Size of a block; only the last may be smaller.
  std::int64_t size(std::int64_t block) const { return block + 1 < blocks() ? nb : n - block * nb; }
  // Local index where an own block begins.
  std::int64_t begin(std::int64_t block) const { return block / places * nb; }
  // Number of indices of this place.
  std::int64_t own() const;
};

// A block as part of a matrix or of a message: where its first element is in the local array, and its extents there.
struct Tile {
  std::int64_t at;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t packed;  // where it begins in the message
};

// What a rank exchanges with another. The blocks of a message are in the order of A's rows, then its columns.
struct Route {
  std::vector<Tile> leaving;   // of A
  std::vector<Tile> arriving;  // of C
  std::int64_t sent = 0;       // elements
  std::int64_t received = 0;
};

struct Layout {
  Layout(std::int64_t n, std::int64_t nb, std::int64_t p, std::int64_t q, int rank);

  Axis rows;
  Axis columns;
  // Elements between neighbours in a row: never a multiple of a power of two that is large, so that columns do not all
  // map to the same cache sets.
  std::int64_t distance;
  std::vector<Route> routes;  // by rank, also to itself
};

}  // namespace banzuke::ptrans
