#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "hpl.hpp"
#include "matrix.hpp"
#include "schedule.hpp"
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

Work work(const Params& p) {
  const auto n = static_cast<double>(p.n);
  const double flops = n * n * (2.0 / 3.0 * n + 1.5);
  return {.counted = flops, .demand = {{"flops.fp64", flops}, {"memory.bytes", 2.0 * 8.0 * n * (n + 1.0)}}};
}

Problem problem(const Params& params, int ranks) {
  const auto [p, q] = std::pair(params.p, params.q);
  if (p * q == ranks) return {.footprint = footprint(params)};
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
