#include "grid.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace banzuke::hpcg {
namespace {

constexpr double diagonal = 26.0;

// Calls `action` with each existing point of the stencil around `at`, and with whether it is `at` itself.
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

// Fills in the entries of a point's row: first this rank's columns in ascending order, then external ones likewise.
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

using Powers = std::map<std::int64_t, int>;  // prime to exponent

Powers prime_powers(std::int64_t value) {
  Powers powers;
  for (std::int64_t prime = 2; prime * prime <= value; ++prime) {
    for (; value % prime == 0; value /= prime) ++powers[prime];
  }
  if (value > 1) ++powers[value];
  return powers;
}

// Returns every prime factor once, ascending, then those with exponent 2 or more, and so on.
std::vector<std::int64_t> rounds(Powers powers) {
  std::vector<std::int64_t> out;
  while (!powers.empty()) {
    for (auto& [prime, left] : powers) {
      out.push_back(prime);
      --left;
    }
    std::erase_if(powers, [](const auto& power) { return power.second == 0; });
  }
  return out;
}

// Returns the divisors in HPCG's order, in which the power of the smallest prime changes first.
std::vector<std::int64_t> divisors(const Powers& powers) {
  std::vector<std::int64_t> out{1};
  for (const auto& [prime, power] : powers) {
    for (std::size_t i = 0, last = out.size() * static_cast<std::size_t>(power); i < last; ++i) {
      out.push_back(out[i] * prime);
    }
  }
  return out;
}

}  // namespace

Triple process_grid(std::int64_t ranks, const Triple& given) {
  const Powers powers = prime_powers(ranks);
  const auto primes = rounds(powers);
  if (given == Triple{} && (powers.size() <= 1 || primes.size() <= 3)) {
    Triple dealt{1, 1, 1};
    for (std::size_t i = 0; i < primes.size(); ++i) dealt[i % 3] *= primes[i];
    return dealt;
  }
  const auto fits = [&](const Triple& grid) {
    return std::ranges::equal(given, grid, [](auto asked, auto own) { return asked == 0 || asked == own; });
  };
  const auto sides = divisors(powers);
  Triple best{ranks, 1, 1};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t x : sides) {
    for (const std::int64_t y : sides) {
      const std::int64_t z = ranks / x / y;
      const std::int64_t surface = x * y + y * z + z * x;
      if (ranks % (x * y) == 0 && fits({x, y, z}) && surface < least) {
        least = surface;
        best = {x, y, z};
      }
    }
  }
  return best;
}

Grid::Grid(const Params& params, int own_rank, int ranks)
    : size{params.nx, params.ny, params.nz},
      procs(process_grid(ranks, {params.px, params.py, params.pz})),
      layers(layers_of(params, procs)),
      rank(own_rank) {
  if (layers.strips.empty()) return;
  const std::size_t layer = layer_of_rank(procs)[static_cast<std::size_t>(rank)];
  size[layers.axis] = layers.strips[layer].size();
}

Extent Grid::whole() const {
  Triple all{};
  for (std::size_t d = 0; d < 3; ++d) all[d] = size[d] * procs[d];
  if (!layers.strips.empty()) all[layers.axis] = layers.strips.back().end;
  return {all[0], all[1], all[2]};
}

Domain Grid::domain() const {
  const Extent all = whole();
  return {{all.x, all.y, all.z}, procs, rank, layers};
}

Grid Grid::coarser() const {
  Grid out = *this;
  for (auto& extent : out.size) extent /= 2;
  for (auto& [begin, end] : out.layers.strips) {
    begin /= 2;
    end /= 2;
  }
  return out;
}

Matrix make_matrix(const Grid& grid) {
  const Domain domain = grid.domain();
  Matrix out{.a = {}, .neighbours = domain.neighbours()};
  Crs& a = out.a;
  a.rows = domain.own();
  a.columns = domain.own() + domain.external();
  a.start.resize(static_cast<std::size_t>(a.rows) + 1);
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < a.rows; ++row) {
    a.start[row + 1] = row_length(domain.whole(), domain.position(row));
  }
  std::partial_sum(a.start.begin(), a.start.end(), a.start.begin());
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
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < b.size(); ++row) {
    b[row] = diagonal - static_cast<double>(matrix.a.start[row + 1] - matrix.a.start[row] - 1);
  }
  return b;
}

double bytes_from_other_hosts(const Grid& finest, std::int64_t iterations, const Hosts& hosts) {
  std::int64_t numbers = 0;
  Grid grid = finest;
  for (int level = 0; level + 1 < levels; ++level, grid = grid.coarser()) {
    const Domain domain = grid.domain();
    const std::int64_t products = level == 0 ? iterations + 1 : 0;
    numbers += (2 * iterations + products) * rows_from_other_hosts(domain.neighbours(), hosts, grid.rank);
  }
  return 8.0 * static_cast<double>(numbers);
}

std::vector<std::int32_t> fine_rows(const Grid& fine) {
  const Triple coarse = fine.coarser().size;
  std::vector<std::int32_t> rows(static_cast<std::size_t>(coarse[0] * coarse[1] * coarse[2]));
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t k = 0; k < coarse[2]; ++k) {
    for (std::int64_t j = 0; j < coarse[1]; ++j) {
      for (std::int64_t i = 0; i < coarse[0]; ++i) {
        rows[static_cast<std::size_t>(i + coarse[0] * (j + coarse[1] * k))] =
            static_cast<std::int32_t>(2 * i + fine.size[0] * (2 * j + fine.size[1] * 2 * k));
      }
    }
  }
  return rows;
}

}  // namespace banzuke::hpcg
