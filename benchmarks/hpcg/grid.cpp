#include "grid.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace banzuke::hpcg {
namespace {

constexpr double diagonal = 26.0;

// Calls `action` with each point of the stencil at `at` that exists, and whether it is `at` itself.
template <class Do>
void for_each_neighbour(const Triple& whole, const Triple& at, const Do& action) {
  for (std::int64_t z = std::max<std::int64_t>(0, at[2] - 1); z <= std::min(whole[2] - 1, at[2] + 1); ++z) {
    for (std::int64_t y = std::max<std::int64_t>(0, at[1] - 1); y <= std::min(whole[1] - 1, at[1] + 1); ++y) {
      for (std::int64_t x = std::max<std::int64_t>(0, at[0] - 1); x <= std::min(whole[0] - 1, at[0] + 1); ++x) {
        const Triple there{x, y, z};
        action(there, there == at);
      }
    }
  }
}

// The entries of the row at a point: own columns in their order, then external ones in theirs.
void fill_row(const Domain& domain, const Triple& at, std::int32_t* column, double* value) {
  std::array<std::int32_t, 27> outside{};
  std::size_t outsiders = 0;
  for_each_neighbour(domain.whole(), at, [&](const Triple& there, bool same) {
    const auto index = static_cast<std::int32_t>(domain.index(there));
    if (index >= domain.own()) {
      outside[outsiders++] = index;
    } else {
      *column++ = index;
      *value++ = same ? diagonal : -1.0;
    }
  });
  std::sort(outside.begin(), outside.begin() + static_cast<std::ptrdiff_t>(outsiders));
  for (std::size_t o = 0; o < outsiders; ++o) {
    *column++ = outside[o];
    *value++ = -1.0;
  }
}

std::int64_t row_length(const Triple& whole, const Triple& at) {
  std::int64_t length = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    length *= 3 - static_cast<int>(at[i] == 0) - static_cast<int>(at[i] == whole[i] - 1);
  }
  return length;
}

// Three numbers whose product is `ranks`, where given ones stay.
Triple factorise(const Params& p, std::int64_t ranks) {
  const Triple given{p.px, p.py, p.pz};
  Triple best{ranks, 1, 1};
  double least = std::numeric_limits<double>::infinity();
  for_each_grid(ranks, [&](const Triple& candidate) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (given[i] != 0 && given[i] != candidate[i]) return;
    }
    const auto x = static_cast<double>(candidate[0] * p.nx);
    const auto y = static_cast<double>(candidate[1] * p.ny);
    const auto z = static_cast<double>(candidate[2] * p.nz);
    const double surface = x * y + y * z + z * x;
    if (surface < least) {
      least = surface;
      best = candidate;
    }
  });
  return best;
}

}  // namespace

Grid::Grid(const Params& params, int own_rank, int ranks)
    : size{params.nx, params.ny, params.nz}, procs(factorise(params, ranks)), rank(own_rank) {}

Grid Grid::coarser() const {
  Grid out = *this;
  for (auto& extent : out.size) extent /= 2;
  return out;
}

Matrix make_matrix(const Grid& grid) {
  const Extent whole = grid.whole();
  const Domain domain({whole.x, whole.y, whole.z}, grid.procs, grid.rank);
  Matrix out{.a = {}, .neighbours = domain.neighbours()};
  Crs& a = out.a;
  a.rows = domain.own();
  a.columns = domain.own() + domain.external();
  a.start.resize(static_cast<std::size_t>(a.rows) + 1);
  for (std::int64_t row = 0; row < a.rows; ++row) {
    a.start[row + 1] = a.start[row] + row_length(domain.whole(), domain.position(row));
  }
  a.column.resize(static_cast<std::size_t>(a.nonzeros()));
  a.value.resize(static_cast<std::size_t>(a.nonzeros()));
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < a.rows; ++row) {
    fill_row(domain, domain.position(row), a.column.data() + a.start[row], a.value.data() + a.start[row]);
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
