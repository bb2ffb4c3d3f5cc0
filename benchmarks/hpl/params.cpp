#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "deal.hpp"
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
  parameters.add(
      "held", params.held,
      "on one device: columns of the matrix that it holds at a time, the others in host memory; 0: all, or as "
      "many as its memory lets it",
      {.min = 0, .max = extent.max});
  parameters.add("panel", params.panel,
                 "on devices: what factorises panels; auto: with one process row, whichever a probe finds faster",
                 {"auto", "host", "device"});
  parameters.add("messages", params.messages,
                 "on devices: the memory from which panels are sent along a row of the grid; device: MPI gets its "
                 "addresses",
                 {"host", "device"});
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
  parameters.add("deal", params.deal,
                 "how blocks of columns are dealt to the grid's columns: in turn (equal), by the rates that their "
                 "ranks are measured to have (rates), or in shares that are given, one for each (1:3)");
}

void settle(Parameters& parameters, const Params& /*params*/) {
  for (const char* name : {"held", "deal", "panel", "messages"}) {
    if (!parameters.given(name)) parameters.unused(name, "");
  }
}

double footprint(const Params& p) {
  const std::int64_t rows = most_indices(p.nb, take_turns(static_cast<int>(p.p)), p.n);
  const std::int64_t columns = most_indices(p.nb, column_turns(p), p.n + 1);
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
// - Where it has a part h of the ranks of a column of the grid, which has the share s of the matrix's columns (1/Q
// where
//   they are equal), it gets the 1 - h of U's m s numbers that others had, and h(1 - h) of as many that U's rows
//   displaced: they go to where these were, from others' diagonal blocks.
// - And for each of that grid column's n s columns the two rows of the panel that change places, 2 nb numbers, as far
//   as others have them.
// Left out: what grows with n alone, in the solution.
double bytes_from_other_hosts(const Params& p, const Hosts& hosts) {
  const auto [n, nb] = std::pair(static_cast<double>(p.n), static_cast<double>(std::min(p.n, p.nb)));
  const auto rows = static_cast<double>(p.p);
  const std::vector<double> shares = column_shares(p);
  using Parts = std::map<std::pair<int, std::size_t>, double>;  // by host and row or column of the grid
  Parts in_row;
  Parts in_column;
  for (std::size_t rank = 0; rank < hosts.of_rank.size(); ++rank) {
    const auto [row, column] = place_of(p, rank);
    in_row[{hosts.of_rank[rank], row}] += shares[column];
    in_column[{hosts.of_rank[rank], column}] += 1.0 / rows;
  }
  const double below = n * (n - nb) / 2.0;
  std::vector<double> numbers(static_cast<std::size_t>(hosts.count));
  for (const auto& [place, own] : in_row) {
    numbers[static_cast<std::size_t>(place.first)] += (1.0 - own) * (below / rows + n * (nb + 1.0));
  }
  for (const auto& [place, own] : in_column) {
    const double share = shares[place.second];
    numbers[static_cast<std::size_t>(place.first)] += (1.0 - own) * ((1.0 + own) * below + 2.0 * nb * n) * share;
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
  if (p * q == ranks) {
    check_deal(params, ranks);
    return memory(params);
  }
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
