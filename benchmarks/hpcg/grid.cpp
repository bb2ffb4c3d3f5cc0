#include "grid.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace banzuke::hpcg {
namespace {

constexpr double diagonal = 26.0;

using Offset = std::array<int, 3>;

// All 27 offsets, x fastest; the middle one is 0, 0, 0.
template <class Do>
void for_each_offset(const Do& action) {
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) action(Offset{x, y, z});
    }
  }
}

// Where coordinates of a neighbour's box begin and end that touch this one: one layer, or all along a side.
struct Side {
  std::int64_t first;
  std::int64_t count;
};

// The layer of own points at the side towards `offset`.
Side own_side(int offset, std::int64_t size) {
  if (offset == 0) return {0, size};
  return {offset < 0 ? 0 : size - 1, 1};
}

// By offset: where the external rows of the rank there begin; negative: there is none.
using External = std::array<std::int64_t, 27>;

// The entries of the row at a point. Below 0 and from `size` on, a coordinate belongs to the box before or after; the
// layer that is seen of it is one point thick there, so its rows are counted along the other directions only.
void fill_row(const Grid& grid, const External& external, const std::array<std::int64_t, 3>& at, std::int32_t* column,
              double* value) {
  std::array<std::int32_t, 27> outside{};
  std::size_t outsiders = 0;
  for_each_offset([&](const Offset& offset) {
    std::int64_t index = 0;
    std::int64_t stride = 1;
    int box = 13;
    int box_stride = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t coordinate = at[i] + offset[i];
      const int side = static_cast<int>(coordinate >= grid.size[i]) - static_cast<int>(coordinate < 0);
      if (side == 0) {
        index += stride * coordinate;
        stride *= grid.size[i];
      }
      box += side * box_stride;
      box_stride *= 3;
    }
    if (box == 13) {
      *column++ = static_cast<std::int32_t>(index);
      *value++ = offset == Offset{0, 0, 0} ? diagonal : -1.0;
    } else if (const auto first = external[static_cast<std::size_t>(box)]; first >= 0) {
      outside[outsiders++] = static_cast<std::int32_t>(first + index);
    }
  });
  std::sort(outside.begin(), outside.begin() + static_cast<std::ptrdiff_t>(outsiders));
  for (std::size_t o = 0; o < outsiders; ++o) {
    *column++ = outside[o];
    *value++ = -1.0;
  }
}

// Three numbers whose product is `ranks`, where given ones stay.
std::array<std::int64_t, 3> factorise(const Params& p, std::int64_t ranks) {
  const std::array<std::int64_t, 3> given{p.px, p.py, p.pz};
  std::array<std::int64_t, 3> best{ranks, 1, 1};
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t x = 1; x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    for (std::int64_t y = 1; y <= ranks / x; ++y) {
      if (ranks / x % y != 0) continue;
      const std::array<std::int64_t, 3> candidate{x, y, ranks / x / y};
      bool fits = true;
      for (std::size_t i = 0; i < 3; ++i) fits = fits && (given[i] == 0 || given[i] == candidate[i]);
      const auto [gx, gy, gz] = std::array{static_cast<double>(x * p.nx), static_cast<double>(y * p.ny),
                                           static_cast<double>(candidate[2] * p.nz)};
      const double surface = gx * gy + gy * gz + gz * gx;
      if (fits && surface < least) {
        least = surface;
        best = candidate;
      }
    }
  }
  return best;
}

}  // namespace

Grid::Grid(const Params& params, int rank, int ranks)
    : size{params.nx, params.ny, params.nz}, procs(factorise(params, ranks)) {
  place = {rank % procs[0], rank / procs[0] % procs[1], rank / (procs[0] * procs[1])};
}

Grid Grid::coarser() const {
  Grid out = *this;
  for (auto& extent : out.size) extent /= 2;
  return out;
}

Matrix make_matrix(const Grid& grid) {
  const std::int64_t nx = grid.size[0];
  const std::int64_t ny = grid.size[1];
  const std::int64_t nz = grid.size[2];
  Matrix out;
  External external{};
  std::int64_t columns = grid.points();
  std::size_t slot = 0;
  for_each_offset([&](const Offset& offset) {
    bool exists = offset != Offset{0, 0, 0};
    std::array<std::int64_t, 3> place{};
    for (std::size_t i = 0; i < 3; ++i) {
      place[i] = grid.place[i] + offset[i];
      exists = exists && place[i] >= 0 && place[i] < grid.procs[i];
    }
    external[slot] = exists ? columns : -1;
    if (exists) {
      Halo::Neighbour neighbour;
      neighbour.rank = static_cast<int>(place[0] + grid.procs[0] * (place[1] + grid.procs[1] * place[2]));
      const Side x = own_side(offset[0], nx);
      const Side y = own_side(offset[1], ny);
      const Side z = own_side(offset[2], nz);
      for (std::int64_t k = z.first; k < z.first + z.count; ++k) {
        for (std::int64_t j = y.first; j < y.first + y.count; ++j) {
          for (std::int64_t i = x.first; i < x.first + x.count; ++i) {
            neighbour.send.push_back(static_cast<std::int32_t>(i + nx * (j + ny * k)));
          }
        }
      }
      neighbour.receive = static_cast<std::int64_t>(neighbour.send.size());
      columns += neighbour.receive;
      out.neighbours.push_back(std::move(neighbour));
    }
    ++slot;
  });

  Crs& a = out.a;
  a.rows = grid.points();
  a.columns = columns;
  a.start.resize(static_cast<std::size_t>(a.rows) + 1);
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const std::array<std::int64_t, 3> at{row % nx, row / nx % ny, row / (nx * ny)};
    std::int64_t entries = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t global = at[i] + grid.place[i] * grid.size[i];
      entries *= 3 - static_cast<int>(global == 0) - static_cast<int>(global == grid.procs[i] * grid.size[i] - 1);
    }
    a.start[static_cast<std::size_t>(row) + 1] = a.start[static_cast<std::size_t>(row)] + entries;
  }
  a.column.resize(static_cast<std::size_t>(a.nonzeros()));
  a.value.resize(static_cast<std::size_t>(a.nonzeros()));
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < a.rows; ++row) {
    fill_row(grid, external, {row % nx, row / nx % ny, row / (nx * ny)},
             a.column.data() + a.start[static_cast<std::size_t>(row)],
             a.value.data() + a.start[static_cast<std::size_t>(row)]);
  }
  return out;
}

std::vector<double> right_side(const Matrix& matrix) {
  std::vector<double> b(static_cast<std::size_t>(matrix.a.rows));
  for (std::size_t row = 0; row < b.size(); ++row) {
    b[row] = diagonal - static_cast<double>(matrix.a.start[row + 1] - matrix.a.start[row] - 1);
  }
  return b;
}

std::vector<std::int32_t> fine_rows(const Grid& fine) {
  const auto [nx, ny, nz] = fine.coarser().size;
  std::vector<std::int32_t> rows;
  rows.reserve(static_cast<std::size_t>(nx * ny * nz));
  for (std::int64_t k = 0; k < nz; ++k) {
    for (std::int64_t j = 0; j < ny; ++j) {
      for (std::int64_t i = 0; i < nx; ++i) {
        rows.push_back(static_cast<std::int32_t>(2 * i + fine.size[0] * (2 * j + fine.size[1] * 2 * k)));
      }
    }
  }
  return rows;
}

}  // namespace banzuke::hpcg
