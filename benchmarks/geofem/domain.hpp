// A rank's part of the cube's nodes: a box, and the one layer of other ranks' nodes around it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/halo.hpp"

namespace banzuke::geofem {

using Triple = std::array<std::int64_t, 3>;  // along x, y, z

inline std::int64_t product(const Triple& t) { return t[0] * t[1] * t[2]; }

// First node of part `index` of `parts`, whose sizes differ by one at most.
inline std::int64_t cut(std::int64_t nodes, std::int64_t parts, std::int64_t index) { return nodes * index / parts; }

class Domain {
 public:
  // Ranks are numbered along x first. Every part must have a node.
  Domain(const Triple& cube, const Triple& grid, int rank);

  const Triple& cube() const { return cube_; }
  std::int64_t own() const { return product(size_); }
  std::int64_t external() const { return external_; }

  Triple position(std::int64_t own) const;
  bool owns(const Triple& position) const;
  // Own nodes are numbered along x first, external ones after them, neighbour by neighbour. `position` must be one of
  // them.
  std::int64_t index(const Triple& position) const;

  // The ranks around this one, at most 26, with what is exchanged by own node.
  std::vector<Halo::Neighbour> neighbours() const;

 private:
  // The other ranks' nodes in one of 27 directions, whose steps are -1, 0 or 1; none beyond the cube.
  struct Box {
    Triple begin;
    Triple size;
  };
  Box outside(const Triple& step) const;

  Triple cube_;
  Triple grid_;
  Triple place_;
  Triple begin_;
  Triple size_;
  std::array<std::int64_t, 27> first_{};  // index of the first external node by direction
  std::int64_t external_ = 0;
};

}  // namespace banzuke::geofem
