#include <cstdlib>
#include <vector>

#include "family.hpp"
#include "grid.hpp"

namespace banzuke::spmv {
namespace {

using Columns = std::vector<std::int32_t>;

template <std::size_t D>
using Offsets = std::vector<Sides<D>>;

// Returns the offsets of at most 1 in every direction, in the order of the points' numbers.
template <std::size_t D>
Offsets<D> box() {
  Sides<D> three{};
  three.fill(3);
  const auto end = static_cast<std::int64_t>(points(three));
  Offsets<D> offsets;
  for (std::int64_t i = 0; i < end; ++i) {
    auto& offset = offsets.emplace_back(point(three, i));
    for (auto& o : offset) --o;
  }
  return offsets;
}

// Returns the offsets along the axes, and that of the point itself.
template <std::size_t D>
Offsets<D> star() {
  auto offsets = box<D>();
  std::erase_if(offsets, [](const Sides<D>& offset) {
    return std::ranges::count(offset, 0) < static_cast<std::ptrdiff_t>(D) - 1;
  });
  return offsets;
}

template <std::size_t D>
double box_entries(const Sides<D>& sides) {
  double all = 1.0;
  for (const std::int64_t side : sides) all *= 3.0 * static_cast<double>(side) - 2.0;
  return all;
}

template <std::size_t D>
double axis_edges(const Sides<D>& sides) {
  double all = 0.0;
  for (const std::int64_t side : sides) all += points(sides) * (1.0 - 1.0 / static_cast<double>(side));
  return all;
}

template <std::size_t D>
double star_entries(const Sides<D>& sides) {
  return points(sides) + 2.0 * axis_edges(sides);
}

// Calls `visit(number, offset)` for the points at these offsets from point `from` that are in the grid.
template <std::size_t D, class Visit>
void around(const Sides<D>& sides, const Offsets<D>& offsets, std::int64_t from, const Visit& visit) {
  const Sides<D> at = point(sides, from);
  for (const Sides<D>& offset : offsets) {
    Sides<D> there = at;
    bool inside = true;
    for (std::size_t d = 0; d < D; ++d) {
      there[d] += offset[d];
      inside = inside && there[d] >= 0 && there[d] < sides[d];
    }
    if (inside) visit(number(sides, there), offset);
  }
}

template <std::size_t D>
void append(const Sides<D>& sides, const Offsets<D>& offsets, std::int64_t from, std::int64_t first, Columns& columns) {
  around(sides, offsets, from,
         [&](std::int64_t there, const Sides<D>&) { columns.push_back(static_cast<std::int32_t>(first + there)); });
}

template <std::size_t D>
Pattern square(const Sides<D>& sides, double nonzeros) {
  const auto rows = static_cast<std::int64_t>(points(sides));
  return {.rows = rows, .columns = rows, .nonzeros = nonzeros, .symmetric = true, .row = {}};
}

template <std::size_t D>
Pattern stencil(double nonzeros, const Offsets<D>& offsets, double (*entries)(const Sides<D>&)) {
  const auto sides = fitted<D>(nonzeros, entries);
  Pattern pattern = square(sides, entries(sides));
  pattern.row = [=](std::int64_t row, Columns& columns) { append(sides, offsets, row, 0, columns); };
  return pattern;
}

}  // namespace

Pattern stencil5(double nonzeros) { return stencil<2>(nonzeros, star<2>(), star_entries<2>); }
Pattern stencil9(double nonzeros) { return stencil<2>(nonzeros, box<2>(), box_entries<2>); }
Pattern stencil7(double nonzeros) { return stencil<3>(nonzeros, star<3>(), star_entries<3>); }
Pattern stencil27(double nonzeros) { return stencil<3>(nonzeros, box<3>(), box_entries<3>); }
Pattern elasticity(double nonzeros) { return blocks(stencil27(nonzeros / 9.0), 3); }

Pattern p1_triangles(double nonzeros) {
  const auto entries = [](const Sides<2>& sides) {
    const double cells = points(Sides<2>{sides[0] - 1, sides[1] - 1});
    return points(sides) + 2.0 * (axis_edges(sides) + cells);
  };
  const auto sides = fitted<2>(nonzeros, entries);
  Pattern pattern = square(sides, entries(sides));
  pattern.row = [sides, offsets = box<2>()](std::int64_t row, Columns& columns) {
    around(sides, offsets, row, [&](std::int64_t there, const Sides<2>& offset) {
      const auto [x, y] = offset;
      if (x != 0 && y != 0) {
        const std::int64_t cell = row + std::min<std::int64_t>(x, 0) + sides[0] * std::min<std::int64_t>(y, 0);
        const bool rising = Draws(1, static_cast<std::uint64_t>(cell)).unit() < 0.5;
        if (rising != (x == y)) return;
      }
      columns.push_back(static_cast<std::int32_t>(there));
    });
  };
  return pattern;
}

Pattern road(double nonzeros) {
  constexpr double built = 0.7;
  const auto entries = [](const Sides<2>& sides) { return built * 2.0 * axis_edges(sides); };
  const auto sides = fitted<2>(nonzeros, entries);
  Pattern pattern = square(sides, entries(sides));
  pattern.row = [sides, offsets = star<2>()](std::int64_t row, Columns& columns) {
    around(sides, offsets, row, [&](std::int64_t there, const Sides<2>&) {
      if (there != row && pair_draws(2, row, there).unit() < built) columns.push_back(static_cast<std::int32_t>(there));
    });
  };
  return pattern;
}

Pattern qcd(double nonzeros) {
  constexpr std::int64_t components = 6;
  constexpr double entries = components * (8.0 * components + 1.0);
  const auto sides = nearly_cube<4>(nonzeros / entries);
  Pattern sites = square(sides, points(sides));
  sites.row = [sides](std::int64_t row, Columns& columns) {
    const Sides<4> at = point(sides, row);
    for (std::size_t d = 0; d < at.size(); ++d) {
      for (const std::int64_t step : {std::int64_t{1}, sides[d] - 1}) {
        Sides<4> there = at;
        there[d] = (at[d] + step) % sides[d];
        columns.push_back(static_cast<std::int32_t>(number(sides, there)));
      }
    }
  };
  Pattern pattern = blocks(sites, components);
  pattern.nonzeros = points(sides) * entries;
  pattern.row = [links = pattern.row](std::int64_t row, Columns& columns) {
    links(row, columns);
    columns.push_back(static_cast<std::int32_t>(row));
  };
  return pattern;
}

Pattern kkt(double nonzeros) {
  const auto entries = [](const Sides<3>& sides) {
    return star_entries(sides) + 2.0 * box_entries(sides) + 3.0 * points(sides);
  };
  const auto sides = fitted<3>(nonzeros, entries);
  Pattern pattern = square(sides, entries(sides));
  const std::int64_t n = pattern.rows;
  pattern.rows = 3 * n;
  pattern.columns = 3 * n;
  pattern.row = [=, h = star<3>(), l = box<3>()](std::int64_t row, Columns& columns) {
    const std::int64_t at = row % n;
    const auto diagonal = [&](std::int64_t part) { columns.push_back(static_cast<std::int32_t>(part * n + at)); };
    switch (row / n) {
      case 0:  // state
        append(sides, h, at, 0, columns);
        append(sides, l, at, 2 * n, columns);
        break;
      case 1:  // control
        diagonal(1);
        diagonal(2);
        break;
      default:  // adjoint
        append(sides, l, at, 0, columns);
        diagonal(1);
    }
  };
  return pattern;
}

Pattern incidence(double nonzeros) {
  const auto sides = nearly_cube<2>(nonzeros / 6.0);
  const auto vertices = static_cast<std::int64_t>(points(sides));
  return {.rows = 3 * vertices,
          .columns = vertices,
          .nonzeros = 6.0 * points(sides),
          .symmetric = false,
          .row = [=](std::int64_t row, Columns& columns) {
            const std::array<std::int64_t, 3> steps = {1, sides[0], sides[0] + 1};
            const std::int64_t from = row / 3;
            const std::int64_t to = (from + steps[static_cast<std::size_t>(row % 3)]) % vertices;
            columns.push_back(static_cast<std::int32_t>(std::min(from, to)));
            columns.push_back(static_cast<std::int32_t>(std::max(from, to)));
          }};
}

}  // namespace banzuke::spmv
