// A rank's part of a grid: a box of points, and one halo layer of other ranks' points around it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/communicator.hpp"
#include "core/halo.hpp"
#include "core/shares.hpp"

namespace banzuke {

using Triple = std::array<std::int64_t, 3>;  // along x, y, z

inline std::int64_t product(const Triple& t) { return t[0] * t[1] * t[2]; }

// First point of part `index` of `parts`; the sizes of the parts differ by at most one.
inline std::int64_t cut(std::int64_t points, std::int64_t parts, std::int64_t index) { return points * index / parts; }

// Ascending. Takes O(sqrt(number)) time, because it is called for a billion ranks, too.
std::vector<std::int64_t> divisors(std::int64_t number);

// Calls `action` with each process grid of `ranks` ranks.
template <class Do>
void for_each_grid(std::int64_t ranks, const Do& action) {
  const auto all = divisors(ranks);
  for (const std::int64_t x : all) {
    for (const std::int64_t y : all) {
      if (ranks / x % y == 0) action(Triple{x, y, ranks / x / y});
    }
  }
}

// Parts along one axis that may be unequal: the points of each of the grid's layers of ranks across it, which together
// are all; none: parts are equal, as along the other axes.
struct Layers {
  std::size_t axis = 2;
  std::vector<Strip> strips{};
};

// The axis across which a grid's layers of ranks may have unequal parts: the one with most ranks, of several the last,
// so that ranks of a layer are numbered consecutively.
std::size_t dealt_axis(const Triple& grid);

// The layer of each rank of the grid, across that axis.
std::vector<std::size_t> layer_of_rank(const Triple& grid);

class Domain {
 public:
  // Ranks are numbered along x first. Every part must have a point.
  Domain(const Triple& whole, const Triple& grid, int rank, const Layers& layers = {});

  const Triple& whole() const { return whole_; }
  std::int64_t own() const { return product(size_); }
  std::int64_t external() const { return external_; }

  Triple position(std::int64_t own) const;
  bool owns(const Triple& position) const;
  // Own points are numbered along x first, followed by the external ones, neighbour by neighbour. `position` must be
  // one of these points.
  std::int64_t index(const Triple& position) const;

  // The neighbouring ranks, at most 26, with the points to exchange in the order of own points.
  std::vector<Halo::Neighbour> neighbours() const;

 private:
  // The other ranks' points in one of 27 directions, whose steps are -1, 0 or 1; empty outside the whole grid.
  struct Box {
    Triple begin;
    Triple size;
  };
  Box outside(const Triple& step) const;

  Triple whole_;
  Triple grid_;
  Triple place_;
  Triple begin_;
  Triple size_;
  std::array<std::int64_t, 27> first_{};  // index of the first external point by direction
  std::int64_t external_ = 0;
};

// Counts the points of each plane across each axis over all ranks, and returns how many there are too many or too few
// in the worst plane: not 0 if a point has no rank, or more than one. Collective.
double wrong_owners(const Domain& domain, const Communicator& ranks);

}  // namespace banzuke
