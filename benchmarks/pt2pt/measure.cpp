#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include "core/binding.hpp"
#include "core/cpulist.hpp"
#include "core/network.hpp"
#include "core/paired.hpp"
#include "pt2pt.hpp"
#include "rings.hpp"

namespace banzuke::pt2pt {
namespace {

std::string bytes_text(std::int64_t size) { return std::to_string(size) + " B"; }

void add_conditions(const Messages& messages, Result& result) {
  for (const auto& [name, value] : messages.conditions()) result.conditions.emplace_back(name, value);
}

// Counts the wrong bytes that arrived on all ranks, and keeps where the first was.
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
    const double share = latency() ? 0.5 : 1.0;  // the figure's share of a round trip
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

  // Adds the headline figure: latency at 8 B, or at the smallest size, or the best bandwidth.
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

// Returns, on rank 0, groups of ranks that share processors although their hosts have different names, as containers on
// one kernel do. A pair of them waits for the processor and not for a link.
Json::Array sharing_processors(const Communicator& ranks) {
  const auto cpus = allowed_cpus();
  const auto told = ranks.gather(Communicator::kernel() + ' ' + format_list(cpus));
  const auto hosts = ranks.gather(Communicator::host());
  std::map<std::string, std::vector<int>> by_place;
  for (std::size_t rank = 0; rank < told.size(); ++rank) by_place[told[rank]].push_back(static_cast<int>(rank));
  Json::Array groups;
  for (const auto& [place, group] : by_place) {
    const auto processors = parse_list(place.substr(place.find(' ') + 1)).size();
    const auto same_host = [&](int rank) {
      return hosts[static_cast<std::size_t>(rank)] == hosts[static_cast<std::size_t>(group.front())];
    };
    if (group.size() > processors && !std::ranges::all_of(group, same_host)) groups.emplace_back(format_list(group));
  }
  return groups;
}

// What a rank has measured with its partner of each round; 0 if nothing.
struct Row {
  std::vector<double> latency;    // if it was the first of the pair
  std::vector<double> bandwidth;  // of messages that it sent
};

class Matrix {
 public:
  Matrix(const Params& params, const Context& context)
      : params_(params),
        ranks_(context.ranks),
        schedule_(params.rounds, context.ranks.size()),
        messages_(context.ranks, params),
        check_(context.ranks) {
    const auto rounds = static_cast<std::size_t>(schedule_.rounds());
    row_ = {.latency = std::vector<double>(rounds), .bandwidth = std::vector<double>(rounds)};
  }

  Result run(const Context& context) {
    const Wire wire;
    Watch watch;
    for (int round = 0; round < schedule_.rounds(); ++round) {
      measure_round(round, watch);
      context.progress(round + 1, schedule_.rounds());
    }
    Context::step("pairs, gathered");
    Result result;
    result.conditions = watch.conditions();
    add_conditions(messages_, result);
    result.verification.push_back(check_.verification());
    const Carried network = carried(ranks_, wire, sent_);
    result.conditions.insert(result.conditions.end(), network.conditions.begin(), network.conditions.end());
    if (network.verification) result.verification.push_back(*network.verification);
    if (auto sharing = sharing_processors(ranks_); !sharing.empty()) {
      result.conditions.emplace_back("ranks_of_one_processor", std::move(sharing));
    }
    result.pairs.emplace_back("latency", gathered(row_.latency, "s", false));
    result.pairs.emplace_back("bandwidth", gathered(row_.bandwidth, "B/s", true));
    if (ranks_.rank() != 0) return result;
    result.metrics = {
        over_members(result.pairs[0].second, ranks_.size(), "latency", static_cast<double>(matrix::latency_size)),
        over_members(result.pairs[1].second, ranks_.size(), "bandwidth", window_bytes())};
    return result;
  }

 private:
  double window_bytes() const { return bytes_one_way(params_, matrix::bandwidth_size); }

  // Measures latency, then bandwidth from the lower rank to the higher, and then back, because a host may be slow in
  // only one direction.
  void measure_round(int round, Watch& watch) {
    const int peer = schedule_.partner(ranks_.rank(), round);
    const Side forth{.peer = peer, .first = peer > ranks_.rank()};
    const Side back{.peer = peer, .first = peer >= 0 && peer < ranks_.rank()};
    const std::string whom = peer < 0 ? "pauses" : "with rank " + std::to_string(peer);
    const std::string name =
        "pairs, round " + std::to_string(round + 1) + " of " + std::to_string(schedule_.rounds()) + ", " + whom;
    Context::step(name + ", checked");
    check_.add(messages_.wrong_bytes(Exchange::latency, forth, matrix::latency_size) +
                   messages_.wrong_bytes(Exchange::bandwidth, forth, matrix::bandwidth_size) +
                   messages_.wrong_bytes(Exchange::bandwidth, back, matrix::bandwidth_size),
               "round " + std::to_string(round + 1));
    Context::step(name + ", latency");
    const auto part = watch.part();
    const auto at = static_cast<std::size_t>(round);
    const auto trips =
        messages_.timed(Exchange::latency, forth, matrix::latency_size, matrix::latency_count(params_), false);
    if (forth.first) row_.latency[at] = quantised(0.5 * median(trips));
    const Count often = matrix::bandwidth_count(params_);
    for (const Side& side : {forth, back}) {
      Context::step(name + ", bandwidth");
      const auto windows = messages_.timed(Exchange::bandwidth, side, matrix::bandwidth_size, often, false);
      if (!side.first) continue;
      row_.bandwidth[at] = std::round(window_bytes() / median(windows));
      if (messages_.elsewhere(peer)) sent_ += window_bytes() * static_cast<double>(often.iterations);
    }
  }

  // Returns the figures from each rank to all its partners, or only to partners with higher numbers.
  Pairs gathered(const std::vector<double>& row, const char* unit, bool both_ways) const {
    const auto rows = messages_.gather(row);
    Pairs out{.unit = unit};
    if (rows.empty()) return out;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      std::vector<std::pair<int, double>> met;
      for (int round = 0; round < schedule_.rounds(); ++round) {
        const int peer = schedule_.partner(rank, round);
        const auto at = static_cast<std::size_t>(rank) * row.size() + static_cast<std::size_t>(round);
        if (peer > rank || (both_ways && peer >= 0)) met.emplace_back(peer, rows[at]);
      }
      std::ranges::sort(met);
      for (const auto& [peer, value] : met) {
        out.from.push_back(rank);
        out.to.push_back(peer);
        out.values.push_back(value);
      }
    }
    return out;
  }

  const Params& params_;
  const Communicator& ranks_;
  PairSchedule schedule_;
  Messages messages_;
  Check check_;
  Row row_;
  double sent_ = 0.0;  // bytes to other hosts
};

}  // namespace

Result measure(const Params& params, const Context& context) {
  if (params.test == "rings") return rings::measure(params, context);
  return params.test == "pairs" ? Matrix(params, context).run(context) : Sweep(params, context).run(context);
}

}  // namespace banzuke::pt2pt
