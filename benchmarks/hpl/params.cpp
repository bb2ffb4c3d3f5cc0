#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "hpl.hpp"
#include "matrix.hpp"
#include "schedule.hpp"
#include "store.hpp"
#include "swap.hpp"

namespace banzuke::hpl {

void declare(Parameters& parameters, Params& params) {
  constexpr Parameters::Range extent{.min = 1, .max = 1'000'000'000};
  parameters.add("n", params.n, "order of the matrix", extent);
  parameters.add("nb", params.nb, "block size of the distribution and width of a panel", {.min = 1, .max = 4096});
  parameters.add("p", params.p, "rows of the process grid", extent);
  parameters.add("q", params.q, "columns of the process grid; p x q ranks", extent);
  parameters.add("order", params.order, "ranks fill the grid's rows or its columns one after another",
                 {"row", "column"});
  parameters.add("nbmin", params.nbmin, "columns at which the panel's recursion ends", {.min = 1, .max = 4096});
  parameters.add("inner", params.inner,
                 "on devices with one process row: columns of a panel that the processors factorise at once, while the "
                 "device updates its others; 0: all",
                 {.min = 0, .max = 4096});
  parameters.add("lookahead", params.lookahead, "1: the next panel is made before the update of the rest",
                 {.min = 0, .max = 1});
  parameters.add("broadcast", params.broadcast, "how a panel goes along a row of the grid",
                 {broadcast_names.begin(), broadcast_names.end()});
  parameters.add("swap", params.swap, "how rows change places in a column of the grid",
                 {swap_names.begin(), swap_names.end()});
  parameters.add("swap_threshold", params.swap_threshold, "columns up to which `mixed` exchanges binarily",
                 {.min = 0, .max = extent.max});
  parameters.add("split", params.split, "share of the columns whose row swaps hide behind the update of the others",
                 {.min = 0.0, .max = 0.9});
}

double footprint(const Params& p) {
  const std::int64_t rows = Cyclic{p.nb, static_cast<int>(p.p), 0}.before(p.n);
  const std::int64_t columns = Cyclic{p.nb, static_cast<int>(p.q), 0}.before(p.n + 1);
  const auto width = static_cast<double>(p.nb);
  const auto distance = static_cast<double>(distance_of(columns));
  const double matrix = static_cast<double>(rows) * distance;
  const double panels = 2.0 * width * (width + static_cast<double>(distance_of(rows)));
  const double exchanges = p.p > 1 ? 6.0 * width * distance : 0.0;
  return 8.0 * (matrix + panels + exchanges);
}

namespace {

// Bytes that the busiest host gets from others at least, however they are sent, where every row is as likely a pivot.
//
// Summed over the panels, of nb columns each, with m = n(n - nb)/2 numbers below their diagonal blocks:
// - Where a host has ranks in a row of the grid, it gets that row's part of each panel that another host has made, m/P,
//   with the diagonal block and the pivots, n(nb + 1).
// - Where it has a part h of the ranks of a column of the grid, it gets the 1 - h of U's m/Q numbers that others had,
//   and h(1 - h) of as many that U's rows displaced: they go to where these were, from others' diagonal blocks.
// - And for each of that grid column's n/Q columns the two rows of the panel that change places, 2 nb numbers, as far
//   as others have them.
// Left out: what grows with n alone, in the solution.
double bytes_from_other_hosts(const Params& p, const Hosts& hosts) {
  const auto [n, nb] = std::pair(static_cast<double>(p.n), static_cast<double>(std::min(p.n, p.nb)));
  const auto [rows, columns] = std::pair(static_cast<double>(p.p), static_cast<double>(p.q));
  using Counts = std::map<std::pair<int, std::int64_t>, double>;  // ranks by host and row or column of the grid
  Counts in_row;
  Counts in_column;
  for (std::size_t rank = 0; rank < hosts.of_rank.size(); ++rank) {
    const auto number = static_cast<std::int64_t>(rank);
    const bool by_rows = p.order == "row";
    ++in_row[{hosts.of_rank[rank], by_rows ? number / p.q : number % p.p}];
    ++in_column[{hosts.of_rank[rank], by_rows ? number % p.q : number / p.p}];
  }
  const double below = n * (n - nb) / 2.0;
  std::vector<double> numbers(static_cast<std::size_t>(hosts.count));
  for (const auto& [place, ranks] : in_row) {
    numbers[static_cast<std::size_t>(place.first)] += (1.0 - ranks / columns) * (below / rows + n * (nb + 1.0));
  }
  for (const auto& [place, ranks] : in_column) {
    const double own = ranks / rows;
    const double pivots = 2.0 * nb * n / columns;
    numbers[static_cast<std::size_t>(place.first)] += (1.0 - own) * ((1.0 + own) * below / columns + pivots);
  }
  return 8.0 * std::ranges::max(numbers);
}

}  // namespace

Work work(const Params& p, const Hosts& hosts) {
  const auto n = static_cast<double>(p.n);
  const double flops = n * n * (2.0 / 3.0 * n + 1.5);
  Work all{.counted = flops, .demand = {{"flops.fp64", flops}, {"memory.bytes", 2.0 * 8.0 * n * (n + 1.0)}}};
  if (hosts.count > 1) {
    all.demand.push_back({.resource = "link.bytes", .amount = bytes_from_other_hosts(p, hosts), .busiest = "host"});
  }
  return all;
}

Problem problem(const Params& params, int ranks) {
  const auto [p, q] = std::pair(params.p, params.q);
  if (p * q == ranks) return memory(params);
  std::vector<Json::Object> nearest;
  if (p * q <= std::numeric_limits<int>::max()) nearest.push_back({{"ranks", p * q}});
  std::int64_t rows = 1;  // as square as can be, and rather wide than high
  for (std::int64_t i = 1; i * i <= ranks; ++i) rows = ranks % i == 0 ? i : rows;
  nearest.push_back({{"p", rows}, {"q", ranks / rows}});
  throw UsageError("p, q: a grid of p x q = " + std::to_string(p) + " x " + std::to_string(q) + " takes " +
                       std::to_string(p * q) + (p * q == 1 ? " rank" : " ranks") + ", but there " +
                       (ranks == 1 ? "is " : "are ") + std::to_string(ranks),
                   std::move(nearest));
}

}  // namespace banzuke::hpl
