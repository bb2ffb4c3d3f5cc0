#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "core/network.hpp"
#include "core/paired.hpp"
#include "pt2pt.hpp"

namespace banzuke::pt2pt {
namespace {

std::string bytes_text(std::int64_t size) { return std::to_string(size) + " B"; }

void add_conditions(const Messages& messages, Result& result) {
  for (const auto& [name, value] : messages.conditions()) result.conditions.emplace_back(name, value);
}

// Bytes that arrived wrong, over all ranks, and where first.
class Check {
 public:
  explicit Check(const Communicator& ranks) : ranks_(ranks) {}

  void add(std::int64_t wrong, const std::string& where) {
    auto all = static_cast<double>(wrong);
    ranks_.sum({&all, 1});
    if (all > 0.0 && wrong_ == 0.0) where_ = where;
    wrong_ += all;
  }
  Verification verification() const {
    return {
        .quantity = "wrong bytes" + (where_.empty() ? "" : ", first in " + where_), .value = wrong_, .tolerance = 0.0};
  }

 private:
  const Communicator& ranks_;
  double wrong_ = 0.0;
  std::string where_;
};

// The curve of one test over the sizes.
class Sweep {
 public:
  Sweep(const Params& params, const Context& context)
      : params_(params),
        ranks_(context.ranks),
        pairs_(context.ranks.size() / 2),
        kind_(exchange(params)),
        side_(side(context.ranks.rank(), context.ranks.size())),
        together_(params.test == "multi-pair"),
        messages_(context.ranks, params),
        check_(context.ranks) {}

  Result run(const Context& context) {
    const auto all = sizes(params_);
    const bool shared = messages_.share_memory(side_, std::min(params_.max_size, direct_most));
    const Wire wire;
    Watch watch;
    for (std::size_t i = 0; i < all.size(); ++i) {
      measure_size(all[i], shared && all[i] <= direct_most, watch);
      context.progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(all.size()));
    }
    Result result;
    result.conditions = watch.conditions();
    add_conditions(messages_, result);
    result.verification.push_back(check_.verification());
    add_network(wire, result);
    add_headline(result);
    result.curves.emplace_back("size", std::move(curve_));
    return result;
  }

 private:
  bool latency() const { return kind_ == Exchange::latency; }

  void measure_size(std::int64_t size, bool direct, Watch& watch) {
    const std::string name = params_.test + ", " + bytes_text(size) + ", ";
    Context::step(name + "checked");
    check_.add(messages_.wrong_bytes(kind_, side_, size), "messages of " + bytes_text(size));

    const double counted = bytes(params_, size) * pairs_;
    Metric metric{latency() ? "latency" : "bandwidth", latency() ? "s" : "B/s", {}, {.counted = counted}};
    const double share = latency() ? 0.5 : 1.0;  // of a round trip
    if (direct) {
      Context::step(name + "copied directly");
      const auto seconds = mean_over_pairs(messages_.direct(kind_, side_, size, together_));
      metric.bounds.push_back({.kind = "measured",
                               .seconds = share * *std::ranges::min_element(seconds),
                               .source = "a direct copy through shared memory between the same ranks"});
    }
    Context::step(name + "timed");
    const Count often = count(params_, size);
    const auto part = watch.part();
    for (const double one : mean_over_pairs(messages_.timed(kind_, side_, size, often, together_))) {
      metric.samples.push_back(latency() ? quantised(share * one) : std::round(counted / one));
    }
    if (messages_.elsewhere(side_.peer) && (side_.first || kind_ != Exchange::bandwidth)) {
      sent_ += bytes_one_way(params_, size) * static_cast<double>(often.iterations);
    }
    curve_.points.push_back({.at = static_cast<double>(size), .metrics = {std::move(metric)}});
  }

  std::vector<double> mean_over_pairs(std::vector<double> seconds) const {
    ranks_.sum(seconds);
    for (auto& one : seconds) one /= pairs_;
    return seconds;
  }

  void add_network(const Wire& wire, Result& result) {
    const Carried network = carried(ranks_, wire, sent_);
    const int crossing = messages_.through_network();
    result.conditions.insert(result.conditions.end(), network.conditions.begin(), network.conditions.end());
    if (network.verification) result.verification.push_back(*network.verification);
    if (crossing == 0) return;
    for (auto& point : curve_.points) {
      Metric& metric = point.metrics.front();
      const double busiest = bytes_one_way(params_, static_cast<std::int64_t>(point.at)) * crossing;
      if (!latency()) metric.work.demand.push_back({.resource = "link.bytes", .amount = busiest, .busiest = "host"});
      if (network.link_rate > 0.0 && busiest > 0.0) {
        metric.bounds.push_back(
            {.kind = "theoretical", .seconds = busiest / network.link_rate, .source = "the rate of the network link"});
      }
    }
  }

  // Latency at 8 B, or at the smallest size; bandwidth at its best.
  void add_headline(Result& result) const {
    const auto& points = curve_.points;
    auto chosen = points.begin();
    if (latency()) {
      const auto usual = std::ranges::find(points, static_cast<double>(matrix::latency_size), &Point::at);
      if (usual != points.end()) chosen = usual;
    } else {
      chosen = std::ranges::max_element(points, {},
                                        [](const Point& point) { return median(point.metrics.front().samples); });
    }
    result.metrics = chosen->metrics;
    result.conditions.emplace_back("headline_size", chosen->at);
  }

  const Params& params_;
  const Communicator& ranks_;
  int pairs_;
  Exchange kind_;
  Side side_;
  bool together_;
  Messages messages_;
  Check check_;
  double sent_ = 0.0;  // bytes to other hosts
  Curve curve_{.along = "message size", .unit = "B", .points = {}};
};

// One sample a rank, the median of its pairs: those themselves stand beside it.
Metric over_ranks(const Pairs& pairs, int ranks, const std::string& name, double bytes) {
  std::vector<std::vector<double>> of_rank(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < pairs.values.size(); ++i) {
    of_rank[static_cast<std::size_t>(pairs.from[i])].push_back(pairs.values[i]);
    of_rank[static_cast<std::size_t>(pairs.to[i])].push_back(pairs.values[i]);
  }
  Metric metric{name, pairs.unit, {}, {.counted = bytes}};
  for (const auto& own : of_rank) {
    if (!own.empty()) metric.samples.push_back(median(own));  // who is the odd one paused in a single round
  }
  return metric;
}

Result measure_pairs(const Params& params, const Context& context) {
  const Communicator& ranks = context.ranks;
  const PairSchedule schedule(params.rounds, ranks.size());
  const int rounds = schedule.rounds();
  Messages messages(ranks, params);
  Check check(ranks);
  std::vector<double> latency(static_cast<std::size_t>(rounds));  // where this rank is the first
  std::vector<double> bandwidth(latency.size());
  const double window_bytes = bytes_one_way(params, matrix::bandwidth_size);
  const Count often = matrix::bandwidth_count(params);
  double sent = 0.0;
  const Wire wire;
  Watch watch;
  for (int round = 0; round < rounds; ++round) {
    const int peer = schedule.partner(ranks.rank(), round);
    const Side side{.peer = peer, .first = peer > ranks.rank()};
    const std::string whom = peer < 0 ? "pauses" : "with rank " + std::to_string(peer);
    const std::string name =
        "pairs, round " + std::to_string(round + 1) + " of " + std::to_string(rounds) + ", " + whom;
    Context::step(name + ", checked");
    check.add(messages.wrong_bytes(Exchange::latency, side, matrix::latency_size) +
                  messages.wrong_bytes(Exchange::bandwidth, side, matrix::bandwidth_size),
              "round " + std::to_string(round + 1));
    Context::step(name + ", latency");
    const auto part = watch.part();
    const auto trips =
        messages.timed(Exchange::latency, side, matrix::latency_size, matrix::latency_count(params), false);
    Context::step(name + ", bandwidth");
    const auto windows = messages.timed(Exchange::bandwidth, side, matrix::bandwidth_size, often, false);
    if (side.first) {
      latency[static_cast<std::size_t>(round)] = quantised(0.5 * median(trips));
      bandwidth[static_cast<std::size_t>(round)] = std::round(window_bytes / median(windows));
      if (messages.elsewhere(peer)) sent += window_bytes * static_cast<double>(often.iterations);
    }
    context.progress(round + 1, rounds);
  }
  Context::step("pairs, gathered");
  Result result;
  result.conditions = watch.conditions();
  add_conditions(messages, result);
  result.verification.push_back(check.verification());
  const Carried network = carried(ranks, wire, sent);
  result.conditions.insert(result.conditions.end(), network.conditions.begin(), network.conditions.end());
  if (network.verification) result.verification.push_back(*network.verification);
  // The first of a pair is its lower rank, which has the figure in its row.
  const auto gathered = [&](const std::vector<double>& row, const char* unit) {
    const auto rows = messages.gather(row);
    Pairs out{.unit = unit};
    if (rows.empty()) return out;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      std::vector<std::pair<int, double>> met;
      for (int round = 0; round < rounds; ++round) {
        const int peer = schedule.partner(rank, round);
        const auto at = static_cast<std::size_t>(rank) * row.size() + static_cast<std::size_t>(round);
        if (peer > rank) met.emplace_back(peer, rows[at]);
      }
      std::ranges::sort(met);
      for (const auto& [peer, value] : met) {
        out.from.push_back(rank);
        out.to.push_back(peer);
        out.values.push_back(value);
      }
    }
    return out;
  };
  result.pairs.emplace_back("latency", gathered(latency, "s"));
  result.pairs.emplace_back("bandwidth", gathered(bandwidth, "B/s"));
  if (ranks.rank() != 0) return result;
  result.metrics = {
      over_ranks(result.pairs[0].second, ranks.size(), "latency", static_cast<double>(matrix::latency_size)),
      over_ranks(result.pairs[1].second, ranks.size(), "bandwidth", window_bytes)};
  return result;
}

}  // namespace

Result measure(const Params& params, const Context& context) {
  return params.test == "pairs" ? measure_pairs(params, context) : Sweep(params, context).run(context);
}

}  // namespace banzuke::pt2pt
