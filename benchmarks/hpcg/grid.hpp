// The process grid, and a rank's part of the problem on one level: the box, its matrix, its neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "core/crs.hpp"
#include "core/domain.hpp"
#include "core/halo.hpp"
#include "core/hosts.hpp"
#include "hpcg.hpp"

namespace banzuke::hpcg {

// Ranks in x, y and z. `given` {0, 0, 0}: as HPCG 3.1 chooses, whatever the box. The prime factors of a prime power, or
// up to three of any, are assigned cyclically; with more, the grid of least surface is taken, the first of equals in
// HPCG's order. Given non-zero values stay, with the least surface under this constraint; {ranks, 1, 1} if nothing
// fits.
Triple process_grid(std::int64_t ranks, const Triple& given);

struct Grid {
  Grid(const Params& params, int rank, int ranks);

  Triple size;   // local points in each direction
  Triple procs;  // ranks in each direction
  int rank;

  std::int64_t points() const { return product(size); }
  Extent whole() const { return {size[0] * procs[0], size[1] * procs[1], size[2] * procs[2]}; }
  // Every second point in each direction.
  Grid coarser() const;
};

struct Matrix {
  Crs a;  // columns from `a.rows` on are neighbours' rows, in the order of a Halo
  std::vector<Halo::Neighbour> neighbours;
};

// 26 on the diagonal, -1 for each of up to 26 neighbours in the whole grid. Columns ascend, neighbours' columns last.
Matrix make_matrix(const Grid& grid);

// The right-hand side for which the solution is 1 everywhere.
std::vector<double> right_side(const Matrix& matrix);

// Bytes that the rank receives from other hosts in a set of `iterations`: the halo of its box, once for each product,
// residual and smoothing after a correction.
double bytes_from_other_hosts(const Grid& finest, std::int64_t iterations, const Hosts& hosts);

// By coarse row: the row of the finer grid at the same place.
std::vector<std::int32_t> fine_rows(const Grid& fine);

}  // namespace banzuke::hpcg
