// The process grid, and a rank's part of the problem on one level: the box, its matrix, its neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "core/crs.hpp"
#include "core/domain.hpp"
#include "core/halo.hpp"
#include "core/hosts.hpp"
#include "core/shares.hpp"
#include "hpcg.hpp"

namespace banzuke::hpcg {

// Returns the numbers of ranks in x, y and z. If `given` is {0, 0, 0}, they are chosen as in HPCG 3.1, whatever the
// box: if the number of ranks is a power of a prime or has at most three prime factors, these are assigned cyclically;
// otherwise the grid with the least surface is taken, the first of equals in HPCG's order. Non-zero values of `given`
// are kept, with the least surface under this constraint; {ranks, 1, 1} if nothing fits.
Triple process_grid(std::int64_t ranks, const Triple& given);

// A box's sides are multiples of this, so that the coarsest level has an integer number of points.
inline constexpr std::int64_t grain = 1 << (levels - 1);
// The longest side of a box, or of the process grid, is at most this many times the shortest.
inline constexpr std::int64_t most_aspect = 8;

// Rounds each side down or up to what HPCG's rules allow: a multiple of 8, at least 16, and long enough for the
// longest.
Triple legal(const Triple& size, bool up);

// The least and the most planes that the rules allow a box across the axis, as wide as it is.
Limits planes_allowed(const Triple& box, std::size_t axis);

// The planes of the layers of ranks across the axis with most ranks, by given shares, one for each, and within the
// rules; together as many as equal boxes have. None if all are equal, as they are before rates are measured.
Layers layers_of(const Params& params, const Triple& procs);

struct Grid {
  Grid(const Params& params, int rank, int ranks);

  Triple size;    // local points in each direction
  Triple procs;   // ranks in each direction
  Layers layers;  // planes of the layers of ranks, if they are unequal
  int rank;

  std::int64_t points() const { return product(size); }
  Extent whole() const;
  Domain domain() const;
  // Every second point in each direction.
  Grid coarser() const;
};

struct Matrix {
  Crs a;  // columns from `a.rows` on are neighbours' rows, in the order of a Halo
  std::vector<Halo::Neighbour> neighbours;
};

// Makes the matrix: 26 on the diagonal, -1 for each of up to 26 neighbours in the whole grid. Columns ascend; those of
// other ranks come last.
Matrix make_matrix(const Grid& grid);

// Returns the right-hand side for which the solution is 1 everywhere.
std::vector<double> right_side(const Matrix& matrix);

// Bytes that the rank receives from other hosts in a set of `iterations`: the halo of its box, once for each product,
// residual and smoothing after a correction.
double bytes_from_other_hosts(const Grid& finest, std::int64_t iterations, const Hosts& hosts);

// Returns, for each coarse row, the row of the finer grid at the same point.
std::vector<std::int32_t> fine_rows(const Grid& fine);

}  // namespace banzuke::hpcg
