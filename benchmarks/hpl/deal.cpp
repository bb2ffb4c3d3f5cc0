#include "deal.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "lu.hpp"
#include "store.hpp"

namespace banzuke::hpl {
namespace {

std::vector<double> given_shares(const Params& p) { return banzuke::given_shares(p.deal, "column of the grid"); }

// An order that suffices for a device, or for the library's threads, but is at most the rank's part of the matrix
// unless that is tiny.
std::int64_t probed_order(const Params& p) {
  constexpr double least = 512.0;
  constexpr double of_thread = 2048.0;
  const double part = static_cast<double>(p.n) / std::sqrt(static_cast<double>(p.p * p.q));
  constexpr double of_device = 16384.0;
  const bool on_device = memory({}).device_footprint > 0.0;
  const double enough = on_device ? of_device : of_thread * std::sqrt(static_cast<double>(omp_get_max_threads()));
  return static_cast<std::int64_t>(std::max(least, std::min(part, enough)));
}

// Flops of the products of a rank, for all steps.
double products(const Params& p, const Cyclic& columns) {
  const double rows = 1.0 / static_cast<double>(p.p);
  double flops = 0.0;
  for (std::int64_t first = 0; first < p.n; first += p.nb) {
    const std::int64_t next = std::min(first + p.nb, p.n);
    flops +=
        2.0 * rows * static_cast<double>((p.n - next) * (next - first) * (columns.before(p.n) - columns.before(next)));
  }
  return flops;
}

}  // namespace

void check_deal(const Params& p, int ranks) {
  const auto shares = std::ssize(given_shares(p));
  if (p.q == 1 && p.deal != "equal") {
    if (ranks == 1) throw UsageError("deal: one column of the grid has nobody to share the matrix with", {}, "deal");
    throw UsageError("deal: only columns of a grid can have unequal shares, and this one has one column",
                     {{{"p", 1}, {"q", ranks}}, {{"deal", "equal"}}});
  }
  std::vector<Json::Object> nearest;
  if (shares > 1 && ranks % shares == 0) nearest.push_back({{"p", ranks / shares}, {"q", shares}});
  check_shares(p.deal, static_cast<std::size_t>(shares), p.q, "columns of the grid", nearest);
}

Turns column_turns(const Params& p) {
  const std::vector<double> shares = given_shares(p);
  return shares.empty() ? take_turns(static_cast<int>(p.q)) : deal_by_shares(shares);
}

std::vector<double> column_shares(const Params& p) {
  std::vector<double> shares = given_shares(p);
  if (shares.empty()) shares.assign(static_cast<std::size_t>(p.q), 1.0);
  return fractions(std::move(shares));
}

std::vector<double> measure_rates(const Params& p, const Communicator& ranks,
                                  const std::vector<std::vector<int>>& places) {
  const std::int64_t order = probed_order(p);
  const std::int64_t width = std::min(p.nb, order / 2);
  const Grid alone(ranks);
  const auto store = make_store({.n = order, .nb = width}, alone, places);
  store->generate();
  Panel& panel = store->panel(0);
  panel.shape(0, width, order);
  std::ranges::fill(panel.message(), 0.0);
  store->fetch(panel);
  for (std::int64_t i = 0; i < width; ++i) panel.set_pivot(i, i);
  store->take(panel);
  const std::int64_t columns = store->distribution().local_columns;
  const auto update = [&] {
    store->update(panel, 0, width, columns, 0, [] {});
    store->wait();
  };
  update();
  const double of_update = 2.0 * static_cast<double>((order - width) * (columns - width) * width);
  return rates_at_once(
      [&]() -> Piece {
        const double start = now();
        update();
        return {.work = of_update, .seconds = now() - start};
      },
      ranks);
}

std::vector<std::size_t> column_of_rank(const Params& p, int ranks) {
  std::vector<std::size_t> columns(static_cast<std::size_t>(ranks));
  for (std::size_t rank = 0; rank < columns.size(); ++rank) columns[rank] = place_of(p, rank).column;
  return columns;
}

std::vector<double> column_rates(const Params& p, const std::vector<double>& rates) {
  return rates_of_parts(rates, column_of_rank(p, static_cast<int>(rates.size())));
}

std::string deal_by_rehearsal(const Params& params, const std::vector<double>& column_rates, const Communicator& ranks,
                              const std::vector<std::vector<int>>& places) {
  constexpr double enough = 1.0;  // s
  const std::string by_rates = deal_by_rates(column_rates);
  if (by_rates == "equal") return "equal";
  const double sum = std::accumulate(column_rates.begin(), column_rates.end(), 0.0);
  Params small = params;
  small.deal = by_rates;
  small.n = std::min(params.n, static_cast<std::int64_t>(std::cbrt(1.5 * enough * sum)));
  Lu lu(small, ranks, places);
  lu.generate();
  ranks.barrier();
  lu.factorise();

  const auto column = place_of(small, static_cast<std::size_t>(ranks.rank())).column;
  double seconds = 0.0;
  for (const Profile::Step& step : lu.profile().steps()) {
    for (const Part part : {Part::update, Part::swap, Part::thread_wait})
      seconds += step[static_cast<std::size_t>(part)];
  }
  const Cyclic columns(small.nb, column_turns(small), static_cast<int>(column));
  const double rate = column_rates[column] / static_cast<double>(small.p);
  std::vector<double> others(column_rates.size());
  const double growth = static_cast<double>(params.n) / static_cast<double>(small.n);
  others[column] = growth * growth * (seconds - products(small, columns) / rate) / static_cast<double>(small.p);
  ranks.sum(others);
  const auto n = static_cast<double>(params.n);
  return deal_by_rates(shares_beside(column_rates, others, 2.0 / 3.0 * n * n * n));
}

}  // namespace banzuke::hpl
