#include "deal.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "core/shares.hpp"
#include "store.hpp"

namespace banzuke::hpl {
namespace {

// The given shares of the grid's columns; empty: they follow from something else.
std::vector<double> given_shares(const std::string& deal) {
  if (deal == "equal" || deal == "rates") return {};
  try {
    return read_ratios(deal);
  } catch (const std::invalid_argument& error) {
    throw UsageError("deal: " + deal + " is neither equal nor rates, and no share for each column of the grid, as " +
                         "1:3 would be: " + error.what(),
                     {{{"deal", "rates"}}});
  }
}

// An order that suffices for the library's threads, but is at most the rank's part of the matrix unless that is tiny.
std::int64_t probed_order(const Params& p) {
  constexpr double least = 512.0;
  constexpr double of_thread = 2048.0;
  const double part = static_cast<double>(p.n) / std::sqrt(static_cast<double>(p.p * p.q));
  const double enough = of_thread * std::sqrt(static_cast<double>(omp_get_max_threads()));
  return static_cast<std::int64_t>(std::max(least, std::min(part, enough)));
}

}  // namespace

void check_deal(const Params& p, int ranks) {
  const auto shares = std::ssize(given_shares(p.deal));
  if (p.q == 1 && p.deal != "equal") {
    std::vector<Json::Object> nearest;
    if (ranks > 1) nearest.push_back({{"p", 1}, {"q", ranks}});
    throw UsageError("deal: one column of the grid has nobody to share the matrix with", std::move(nearest), "deal");
  }
  if (shares == 0 || shares == p.q) return;
  std::vector<Json::Object> nearest{{{"deal", "rates"}}};
  if (shares > 1 && ranks % shares == 0) nearest.push_back({{"p", ranks / shares}, {"q", shares}});
  throw UsageError("deal: " + p.deal + " gives " + std::to_string(shares) + (shares == 1 ? " share" : " shares") +
                       " to " + std::to_string(p.q) + " columns of the grid",
                   std::move(nearest));
}

Turns column_turns(const Params& p) {
  const std::vector<double> shares = given_shares(p.deal);
  return shares.empty() ? take_turns(static_cast<int>(p.q)) : deal_by_shares(shares);
}

std::vector<double> column_shares(const Params& p) {
  std::vector<double> shares = given_shares(p.deal);
  if (shares.empty()) shares.assign(static_cast<std::size_t>(p.q), 1.0);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

std::vector<double> measure_rates(const Params& p, const Communicator& ranks,
                                  const std::vector<std::vector<int>>& places) {
  constexpr double long_enough = 0.5;  // s: many turns of the scheduler and periods of a quota
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
  const std::int64_t columns = store->distribution().local_columns;
  const auto update = [&] { store->update(panel, 0, width, columns, 0, [] {}); };
  update();
  ranks.barrier();
  const double start = now();
  double seconds = 0.0;
  double updates = 0.0;
  while (seconds < long_enough) {
    update();
    ++updates;
    seconds = now() - start;
  }
  std::vector<double> rates(static_cast<std::size_t>(ranks.size()));
  rates[static_cast<std::size_t>(ranks.rank())] =
      updates * 2.0 * static_cast<double>((order - width) * (columns - width) * width) / seconds;
  ranks.sum(rates);
  return rates;
}

std::vector<double> column_rates(const Params& p, const std::vector<double>& rates) {
  std::vector<double> slowest(static_cast<std::size_t>(p.q), std::numeric_limits<double>::infinity());
  for (std::size_t rank = 0; rank < rates.size(); ++rank) {
    double& column = slowest[place_of(p, rank).column];
    column = std::min(column, rates[rank]);
  }
  for (double& column : slowest) column *= static_cast<double>(p.p);
  return slowest;
}

std::string deal_by_rates(const std::vector<double>& columns) {
  constexpr double difference = 0.05;
  const double fastest = std::ranges::max(columns);
  if (std::ranges::min(columns) > (1.0 - difference) * fastest) return "equal";
  std::ostringstream deal;
  for (std::size_t i = 0; i < columns.size(); ++i) deal << (i > 0 ? ":" : "") << columns[i] / fastest;
  return deal.str();
}

}  // namespace banzuke::hpl
