// The rows of A and of b, generated on demand from one element, because all elements are equal.
#pragma once

#include <array>
#include <cstdint>

#include "core/domain.hpp"

namespace banzuke::geofem {

using Block = std::array<double, 9>;                  // 3 x 3, by rows
using Element = std::array<std::array<Block, 8>, 8>;  // by nodes, numbered along x first

// Stiffness of the trilinear hexahedron with unit edges; Young's modulus 1, Poisson's ratio 0.3; 2 x 2 x 2 Gauss
// points.
Element stiffness();

// Returns whether the displacement of the node along `axis` is prescribed: it is 0 across the planes of symmetry at x,
// y, z = 0.
inline bool fixed(const Triple& position, std::size_t axis) { return position[axis] == 0; }

// Force on the node: unit tension along z on the top plane.
std::array<double, 3> load(const Triple& cube, const Triple& position);

// The exact displacement, which the elements reproduce.
std::array<double, 3> exact(const Triple& position);

struct Row {
  int size = 0;
  int diagonal = 0;                     // position of the node itself
  std::array<std::int64_t, 27> node{};  // in the domain's numbering
  std::array<Block, 27> block{};
};

class Assembly {
 public:
  explicit Assembly(const Domain& domain);

  // Prescribed displacements are eliminated from rows and columns, with ones on the diagonal.
  Row row(std::int64_t own) const;

  // The blocks of a row before that elimination, by the sides on which the node has elements: bit 2 d means below it
  // along axis d, bit 2 d + 1 above it.
  using Stencils = std::array<std::array<Block, 27>, 64>;
  const Stencils& stencils() const { return stencils_; }

 private:
  const Domain& domain_;
  Stencils stencils_{};
};

}  // namespace banzuke::geofem
