// A rank's part of the points of a grid: a box, and the one layer of other ranks' points around it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/halo.hpp"

namespace banzuke {

using Triple = std::array<std::int64_t, 3>;  // along x, y, z

inline std::int64_t product(const Triple& t) { return t[0] * t[1] * t[2]; }

// First point of part `index` of `parts`, whose sizes differ by one at most.
inline std::int64_t cut(std::int64_t points, std::int64_t parts, std::int64_t index) { return points * index / parts; }

// Ascending, in time with the root of `number`: a thousand million ranks are asked about, too.
std::vector<std::int64_t> divisors(std::int64_t number);

// Calls `action` with each grid of so many ranks.
template <class Do>
void for_each_grid(std::int64_t ranks, const Do& action) {
  const auto all = divisors(ranks);
  for (const std::int64_t x : all) {
    for (const std::int64_t y : all) {
      if (ranks / x % y == 0) action(Triple{x, y, ranks / x / y});
    }
  }
}

class Domain {
 public:
  // Ranks are numbered along x first. Every part must have a point.
  Domain(const Triple& whole, const Triple& grid, int rank);

  const Triple& whole() const { return whole_; }
  std::int64_t own() const { return product(size_); }
  std::int64_t external() const { return external_; }

  Triple position(std::int64_t own) const;
  bool owns(const Triple& position) const;
  // Own points are numbered along x first, external ones after them, neighbour by neighbour. `position` must be one of
  // them.
  std::int64_t index(const Triple& position) const;

  // The ranks around this one, at most 26, with what is exchanged by own point.
  std::vector<Halo::Neighbour> neighbours() const;

 private:
  // The other ranks' points in one of 27 directions, whose steps are -1, 0 or 1; none beyond the whole.
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

}  // namespace banzuke
