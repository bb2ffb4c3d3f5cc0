#include <string>

#include "layout.hpp"
#include "ptrans.hpp"

namespace banzuke::ptrans {
namespace {

// The most rounds and elements whose sums are exact: 2^20 x 2^20 is far below 2^53.
constexpr std::int64_t most_rounds = std::int64_t{1} << 20U;

// The rows of the grid that is as square as can be, and rather wide than high.
std::int64_t square_rows(std::int64_t ranks) {
  std::int64_t rows = 1;
  for (std::int64_t i = 1; i * i <= ranks; ++i) rows = ranks % i == 0 ? i : rows;
  return rows;
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  constexpr std::int64_t most = 1'000'000'000;
  parameters.add("n", params.n, "order of the matrices", {.min = 1, .max = most});
  parameters.add("nb", params.nb, "order of the blocks that are distributed", {.min = 1, .max = 65536});
  parameters.add("p", params.p, "rows of the grid of ranks; 0: as many as make it square, or nearly",
                 {.min = 0, .max = most});
  parameters.add("q", params.q, "columns of the grid; p x q ranks; 0: as many as there are ranks for",
                 {.min = 0, .max = most});
  parameters.add("rounds", params.rounds, "timed transpositions", {.min = 1, .max = most_rounds - 1});
}

Problem problem(Params& params, int ranks) {
  std::int64_t& p = params.p;
  std::int64_t& q = params.q;
  if (p == 0) p = q == 0 ? square_rows(ranks) : ranks / q;
  if (q == 0) q = p == 0 ? 0 : ranks / p;
  if (p * q != ranks) {
    const std::int64_t rows = square_rows(ranks);
    std::vector<Json::Object> nearest;
    if (p > 0 && q > 0 && p * q <= 1'000'000'000) nearest.push_back({{"ranks", p * q}});
    nearest.push_back({{"p", rows}, {"q", ranks / rows}});
    throw UsageError("p, q: a grid of p x q = " + std::to_string(p) + " x " + std::to_string(q) + " does not have " +
                         std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks"),
                     std::move(nearest));
  }
  const Axis rows{.n = params.n, .nb = params.nb, .places = p, .place = 0};  // place 0 has most
  const Axis columns{.n = params.n, .nb = params.nb, .places = q, .place = 0};
  const double own = 8.0 * static_cast<double>(rows.own() + 16) * static_cast<double>(columns.own());
  const double blocks = static_cast<double>(rows.blocks()) * static_cast<double>(rows.blocks()) / ranks;
  const double messages = ranks > 1 ? 2.0 * own : 0.0;
  return {.footprint = 2.0 * own + messages + 2.0 * sizeof(Tile) * blocks,
          .facts = {{"grid_rows", p}, {"grid_columns", q}}};
}

Work work(std::int64_t n, double sent) {
  const double matrix = 8.0 * static_cast<double>(n) * static_cast<double>(n);
  // A is read; C is read and written.
  Work all{.counted = matrix, .demand = {{.resource = "memory.bytes", .amount = 3.0 * matrix}}};
  if (sent > 0.0) all.demand.push_back({.resource = "link.bytes", .amount = sent, .busiest = "host"});
  return all;
}

}  // namespace banzuke::ptrans
