#include "core/deal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "core/parameters.hpp"
#include "core/shares.hpp"

namespace banzuke {

std::vector<double> given_shares(const std::string& deal, const std::string& part) {
  if (deal == "equal" || deal == "rates") return {};
  try {
    return read_ratios(deal);
  } catch (const std::invalid_argument& error) {
    throw UsageError("deal: " + deal + " is neither equal nor rates, and no share for each " + part +
                         ", as 1:3 would be: " + error.what(),
                     {{{"deal", "rates"}}});
  }
}

void check_shares(const std::string& deal, std::size_t shares, std::int64_t parts, const std::string& named,
                  const std::vector<Json::Object>& nearest) {
  if (shares == 0 || std::cmp_equal(shares, parts)) return;
  std::vector<Json::Object> accepted{{{"deal", "rates"}}};
  accepted.insert(accepted.end(), nearest.begin(), nearest.end());
  throw UsageError("deal: " + deal + " gives " + std::to_string(shares) + (shares == 1 ? " share" : " shares") +
                       " to " + std::to_string(parts) + " " + named,
                   std::move(accepted));
}

std::string deal_by_rates(const std::vector<double>& rates) {
  constexpr double difference = 0.05;
  const double fastest = std::ranges::max(rates);
  if (std::ranges::min(rates) > (1.0 - difference) * fastest) return "equal";
  std::ostringstream deal;
  for (std::size_t i = 0; i < rates.size(); ++i) deal << (i > 0 ? ":" : "") << rates[i] / fastest;
  return deal.str();
}

std::vector<double> shares_beside(const std::vector<double>& rates, const std::vector<double>& others, double work) {
  constexpr double least = 0.25;
  const double sum = std::accumulate(rates.begin(), rates.end(), 0.0);
  const double seconds = (work + std::inner_product(rates.begin(), rates.end(), others.begin(), 0.0)) / sum;
  std::vector<double> shares(rates.size());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    shares[i] = std::clamp(rates[i] * (seconds - others[i]) / work, least * rates[i] / sum, 1.0);
  }
  return fractions(std::move(shares));
}

std::vector<double> rates_at_once(const std::function<Piece()>& piece, const Communicator& ranks) {
  constexpr double long_enough = 0.5;  // s
  ranks.barrier();
  Piece all;
  while (all.seconds < long_enough) {
    const Piece one = piece();
    all.work += one.work;
    all.seconds += one.seconds;
  }
  std::vector<double> rates(static_cast<std::size_t>(ranks.size()));
  rates[static_cast<std::size_t>(ranks.rank())] = all.work / all.seconds;
  ranks.sum(rates);
  return rates;
}

std::vector<double> rates_of_parts(const std::vector<double>& rates, const std::vector<std::size_t>& part_of_rank) {
  const std::size_t parts = std::ranges::max(part_of_rank) + 1;
  std::vector<double> slowest(parts, std::numeric_limits<double>::infinity());
  std::vector<double> ranks(parts);
  for (std::size_t rank = 0; rank < rates.size(); ++rank) {
    const std::size_t part = part_of_rank[rank];
    slowest[part] = std::min(slowest[part], rates[rank]);
    ++ranks[part];
  }
  for (std::size_t part = 0; part < parts; ++part) slowest[part] *= ranks[part];
  return slowest;
}

std::vector<Bound> Sharing::bounds(double work, const std::string& what) const {
  if (rates.empty()) return {};
  return {{.kind = "measured",
           .seconds = work / sum,
           .source = "the sum of the ranks' rates of " + what + ", measured all at once"}};
}

Json::Object Sharing::conditions(const std::string& part) const {
  if (rates.empty()) return {};
  const auto list = [](const std::vector<double>& values) { return Json::Array(values.begin(), values.end()); };
  Json::Object out{{"sum_of_rates", sum}, {part + "_rates", list(rates)}, {part + "_shares", list(fractions(shares))}};
  if (limited) out.emplace_back(part + "_limited", true);
  return out;
}

namespace {

// Returns the means over the ranks of each part of values that every rank has, as many for each part; empty for one
// part and for more than `most`. Collective.
std::vector<double> means_of_parts(std::span<const double> own, const std::vector<std::size_t>& part_of_rank,
                                   std::size_t most, const Communicator& ranks) {
  const std::size_t parts = std::ranges::max(part_of_rank) + 1;
  if (parts < 2 || parts > most) return {};
  const std::size_t mine = part_of_rank[static_cast<std::size_t>(ranks.rank())];
  const auto sharing = static_cast<double>(std::ranges::count(part_of_rank, mine));
  std::vector<double> means(own.size() * parts);
  for (std::size_t at = 0; at < own.size(); ++at) means[mine * own.size() + at] = own[at] / sharing;
  ranks.sum(means);
  return means;
}

double rounded(double value) {
  constexpr double digits = 3.0;
  if (!(value > 0.0)) return 0.0;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) + 1.0 - digits);
  return std::round(value / unit) * unit;
}

}  // namespace

Json::Object part_seconds(const std::string& part, std::span<const std::string_view> phases,
                          std::span<const double> seconds, const std::vector<std::size_t>& part_of_rank,
                          const Communicator& ranks) {
  constexpr std::size_t most = 64;
  const std::vector<double> means = means_of_parts(seconds, part_of_rank, most, ranks);
  if (means.empty()) return {};
  Json all = Json::object();
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    Json::Array of_parts;
    for (std::size_t at = phase; at < means.size(); at += phases.size()) of_parts.emplace_back(means[at]);
    all.set(std::string(phases[phase]), Json(std::move(of_parts)));
  }
  return {{part + "_seconds", all}};
}

Json::Object part_intervals(const std::string& part, std::span<const std::string_view> phases,
                            std::span<const double> seconds, const std::vector<std::size_t>& part_of_rank,
                            const Communicator& ranks) {
  constexpr std::size_t most = 16;
  const std::vector<double> means = means_of_parts(seconds, part_of_rank, most, ranks);
  if (means.empty()) return {};
  const std::size_t intervals = seconds.size() / phases.size();
  Json all = Json::object();
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    Json::Array of_parts;
    double sum = 0.0;
    for (std::size_t at = phase * intervals; at < means.size(); at += seconds.size()) {
      Json::Array of_part;
      for (std::size_t i = at; i < at + intervals; ++i) {
        of_part.emplace_back(rounded(means[i]));
        sum += means[i];
      }
      of_parts.emplace_back(std::move(of_part));
    }
    if (sum > 0.0) all.set(std::string(phases[phase]), Json(std::move(of_parts)));
  }
  return {{part + "_intervals", all}};
}

std::vector<double> fractions(std::vector<double> shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace banzuke
