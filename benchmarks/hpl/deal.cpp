#include "deal.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/clock.hpp"
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

}  // namespace

void check_deal(const Params& p, int ranks) {
  const auto shares = std::ssize(given_shares(p));
  if (p.q == 1 && p.deal != "equal") {
    std::vector<Json::Object> nearest;
    if (ranks > 1) nearest.push_back({{"p", 1}, {"q", ranks}});
    throw UsageError("deal: one column of the grid has nobody to share the matrix with", std::move(nearest), "deal");
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

}  // namespace banzuke::hpl
