#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "family.hpp"

namespace banzuke::spmv {
namespace {

using Columns = std::vector<std::int32_t>;

std::int64_t whole(double value) { return std::max<std::int64_t>(1, std::llround(value)); }

Pattern square(double rows, double row_mean, bool symmetric) {
  const std::int64_t n = whole(rows);
  return {.rows = n, .columns = n, .nonzeros = static_cast<double>(n) * row_mean, .symmetric = symmetric, .row = {}};
}

Draws of_row(std::uint64_t stream, std::int64_t row) { return {stream, static_cast<std::uint64_t>(row)}; }

void add(Columns& columns, std::int64_t column) { columns.push_back(static_cast<std::int32_t>(column)); }

void add_inside(Columns& columns, std::int64_t column, std::int64_t end) {
  if (column >= 0 && column < end) add(columns, column);
}

}  // namespace

Pattern dense(double nonzeros) {
  const double rows = std::sqrt(nonzeros);
  Pattern pattern = square(rows, std::round(rows), false);
  pattern.row = [n = pattern.rows](std::int64_t, Columns& columns) {
    for (std::int64_t column = 0; column < n; ++column) add(columns, column);
  };
  return pattern;
}

Pattern banded(double nonzeros) {
  constexpr double mean = 15.0;
  Pattern pattern = square(nonzeros / (mean + 1.0), mean + 1.0, false);
  pattern.row = [n = pattern.rows](std::int64_t row, Columns& columns) {
    const std::int64_t half = std::max<std::int64_t>(16, n / 50);
    Draws draws = of_row(10, row);
    add(columns, row);
    for (std::int64_t left = draws.poisson(mean); left > 0; --left) {
      add_inside(columns, row - half + draws.below(2 * half + 1), n);
    }
  };
  return pattern;
}

Pattern erdos_renyi(double nonzeros) {
  constexpr double mean = 16.0;
  Pattern pattern = square(nonzeros / mean, mean, false);
  pattern.row = [n = pattern.rows](std::int64_t row, Columns& columns) {
    Draws draws = of_row(11, row);
    for (std::int64_t left = draws.poisson(mean); left > 0; --left) add(columns, draws.below(n));
  };
  return pattern;
}

// R-MAT draws edges independently. So the number of edges of a row has a Poisson distribution, and the bits of a column
// can be drawn one by one given the row's bits; rows can therefore be generated separately.
Pattern rmat(double nonzeros) {
  constexpr double per_row = 16.0;
  const int scale = std::max(1, static_cast<int>(std::lround(std::log2(std::max(nonzeros, 1.0) / per_row))));
  Pattern pattern = square(std::exp2(scale), nonzeros / std::exp2(scale), false);
  pattern.row = [=](std::int64_t row, Columns& columns) {
    const auto bits = static_cast<std::uint64_t>(row);
    const int ones = std::popcount(bits);
    Draws draws = of_row(12, row);
    const double mean = nonzeros * std::pow(0.57 + 0.19, scale - ones) * std::pow(0.19 + 0.05, ones);
    for (std::int64_t left = draws.poisson(mean); left > 0; --left) {
      // Draw 64 bits at once. A bit is set with probability 1/4 if the row's bit is 0, and 53/256 (for 0.05 / (0.19 +
      // 0.05)) if it is 1.
      const std::uint64_t below_zero = draws.bits() & draws.bits();
      std::uint64_t below_one = 0;
      for (unsigned digits = 53U | 256U; digits != 1; digits >>= 1U) {
        below_one = (digits & 1U) != 0 ? below_one | draws.bits() : below_one & draws.bits();
      }
      const std::uint64_t column = ((below_one & bits) | (below_zero & ~bits)) & ((std::uint64_t{1} << scale) - 1);
      add(columns, static_cast<std::int64_t>(column));
    }
  };
  return pattern;
}

Pattern web(double nonzeros) {
  constexpr double exponent = 1.5;
  constexpr double linked = 0.9;
  constexpr double mean = 2.06;  // counted; zeta(1.5) * 0.9 = 2.35 less duplicate links
  Pattern pattern = square(nonzeros / mean, mean, false);
  pattern.row = [n = pattern.rows](std::int64_t row, Columns& columns) {
    Draws draws = of_row(13, row);
    if (draws.unit() >= linked) return;
    const double length = std::min(std::pow(1.0 - draws.unit(), -1.0 / exponent), static_cast<double>(n));
    for (auto left = static_cast<std::int64_t>(length); left > 0; --left) {
      const double kind = draws.unit();
      const double u = draws.unit();
      if (kind < 0.8) {
        const auto distance = static_cast<std::int64_t>(std::min(std::pow(1.0 - u, -2.0), 1e5));
        add_inside(columns, kind < 0.4 ? row - distance : row + distance, n);
      } else {
        add(columns, std::min(n - 1, static_cast<std::int64_t>(static_cast<double>(n) * u * u * u * u)));
      }
    }
  };
  return pattern;
}

Pattern circuit(double nonzeros) {
  constexpr double joined = 1.0 / 3.0;
  constexpr std::array<double, 4> supplied = {1.0 / 4, 1.0 / 16, 1.0 / 64, 1.0 / 256};
  constexpr double mean = 1.0 + 2.0 * 6.0 * joined + 2.0 * 85.0 / 256.0;
  Pattern pattern = square(nonzeros / mean, mean, true);
  const std::int64_t n = pattern.rows;
  const std::int64_t side = whole(std::sqrt(static_cast<double>(n)));
  std::array<std::int64_t, supplied.size()> nets{};
  for (std::size_t i = 0; i < nets.size(); ++i)
    nets[i] = static_cast<std::int64_t>(static_cast<double>(n) * (0.125 + 0.25 * static_cast<double>(i)));
  pattern.row = [=](std::int64_t row, Columns& columns) {
    add(columns, row);
    for (const std::int64_t distance :
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{5}, std::int64_t{17}, std::int64_t{101}, side}) {
      for (const std::int64_t other : {row - distance, row + distance}) {
        if (pair_draws(14, row, other).unit() < joined) add_inside(columns, other, n);
      }
    }
    for (std::size_t i = 0; i < nets.size(); ++i) {
      const auto hangs = [&](std::int64_t node) { return pair_draws(15, node, nets[i]).unit() < supplied[i]; };
      if (hangs(row)) add(columns, nets[i]);
      if (row != nets[i]) continue;
      for (std::int64_t node = 0; node < n; ++node) {
        if (hangs(node)) add(columns, node);
      }
    }
  };
  return pattern;
}

Pattern lp(double nonzeros) {
  const double mean = std::sqrt(nonzeros);
  const auto columns_all = whole(nonzeros / 10.0);
  const auto rows = whole(nonzeros / mean);
  return {.rows = rows,
          .columns = columns_all,
          .nonzeros = nonzeros * (1.0 + 3.0 / std::sqrt(static_cast<double>(rows))),  // plus three standard deviations
          .symmetric = false,
          .row = [=](std::int64_t row, Columns& columns) {
            Draws draws = of_row(16, row);
            const double length = -mean * std::log(1.0 - draws.unit());
            // Uniform gaps produce the columns in ascending order.
            const double widest = 2.0 * static_cast<double>(columns_all) / std::max(length, 1.0);
            double column = draws.unit() * widest;
            while (column < static_cast<double>(columns_all)) {
              add(columns, static_cast<std::int64_t>(column));
              column += draws.unit() * widest;
            }
          }};
}

Pattern protein(double nonzeros) {
  constexpr std::int64_t freedoms = 6;
  constexpr std::int64_t reach = 32;
  constexpr double kept = 15.0 / 16.0;
  const auto likelihood = [](std::int64_t distance) { return 3.0 / static_cast<double>(distance); };
  double contacts = 1.0 + 5.0;
  for (std::int64_t distance = 1; distance <= reach; ++distance) contacts += 2.0 * std::min(1.0, likelihood(distance));
  const double full_blocks = nonzeros / (freedoms * freedoms * kept);
  const double rows = std::max({4.0, full_blocks / contacts, std::sqrt(full_blocks)});  // a few all touch
  Pattern links = square(rows, std::min(contacts, std::round(rows)) * kept, true);
  links.row = [=, n = links.rows](std::int64_t link, Columns& columns) {
    add(columns, link);
    for (std::int64_t distance = 1; distance <= reach; ++distance) {
      for (const std::int64_t other : {link - distance, link + distance}) {
        if (pair_draws(17, link, other).unit() < likelihood(distance)) add_inside(columns, other, n);
      }
    }
    for (std::int64_t across = -2; across <= 2; ++across) add_inside(columns, n - 1 - link + across, n);
    std::ranges::sort(columns);
  };
  Pattern pattern = blocks(links, freedoms);
  pattern.row = [full = pattern.row](std::int64_t row, Columns& columns) {
    full(row, columns);
    std::erase_if(columns,
                  [&](std::int32_t column) { return column != row && pair_draws(18, row, column).unit() >= kept; });
  };
  return pattern;
}

}  // namespace banzuke::spmv
