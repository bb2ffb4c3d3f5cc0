#include <algorithm>
#include <iterator>
#include <utility>

#include "core/message.hpp"
#include "core/pair_schedule.hpp"
#include "core/paired.hpp"
#include "transfer.hpp"

namespace banzuke::transfer {
namespace {

constexpr std::int64_t headline_latency = 8;

class Check {
 public:
  void add(std::int64_t wrong, const std::string& where) {
    if (wrong > 0 && wrong_ == 0) where_ = where;
    wrong_ += wrong;
  }
  Verification verification() const {
    return {.quantity = "wrong bytes" + (where_.empty() ? "" : ", first in " + where_),
            .value = static_cast<double>(wrong_),
            .tolerance = 0.0};
  }

 private:
  std::int64_t wrong_ = 0;
  std::string where_;
};

Result finished(const Transfers& transfers, const Check& check, const Watch& watch) {
  Result result;
  result.conditions = watch.conditions();
  for (const auto& [name, value] : transfers.conditions()) result.conditions.emplace_back(name, value);
  result.software = transfers.software();
  result.verification = transfers.checks();
  result.verification.insert(result.verification.begin(), check.verification());
  return result;
}

// Returns the headline point: latency at 8 B, or at the smallest size, or the best bandwidth.
const Point& headline(const std::vector<Point>& points, bool latency) {
  if (!latency) {
    return *std::ranges::max_element(points, {},
                                     [](const Point& point) { return median(point.metrics.front().samples); });
  }
  const auto usual = std::ranges::find(points, static_cast<double>(headline_latency), &Point::at);
  return usual == points.end() ? points.front() : *usual;
}

// Makes the figure of a size.
class Figures {
 public:
  explicit Figures(const Params& params)
      : params_(params), latency_(params.test == "latency"), ways_(params.direction == "both" ? 2.0 : 1.0) {}

  bool latency() const { return latency_; }
  Metric of(const Transfers& transfers, std::int64_t size, const std::vector<double>& seconds) const {
    const double one_way = static_cast<double>(size) * static_cast<double>(copies(params_, size));
    const double counted = ways_ * one_way;
    Metric metric{latency_ ? "latency" : "bandwidth", latency_ ? "s" : "B/s", {}, {.counted = counted}};
    if (!latency_) metric.work.demand = transfers.demand(one_way);
    for (const double one : seconds) metric.samples.push_back(latency_ ? quantised(one) : std::round(counted / one));
    return metric;
  }

 private:
  Params params_;
  bool latency_;
  double ways_;
};

// Results of the chunk sizes of a pipeline, tried with the largest transfer.
struct Tried {
  Curve curve{.along = "chunk", .unit = "B", .points = {}};
  std::int64_t fastest = 0;
};

Tried tried_chunks(const Params& params, Check& check) {
  Tried tried;
  double least = 0.0;
  const auto size = sizes(params).back();
  for (const auto chunk : chunks(params)) {
    Params one = with_chunk(params, chunk);
    one.samples = chunk_samples;
    const std::string text = "chunks of " + std::to_string(chunk) + " B";
    Context::step(params.path + " " + params.direction + ", " + text);
    Transfers transfers(one);
    Watch watch;
    const auto [seconds, wrong] = transfers.timed(size, watch);
    check.add(wrong, "transfers of " + std::to_string(size) + " B in " + text);
    tried.curve.points.push_back(
        {.at = static_cast<double>(chunk), .metrics = {Figures(one).of(transfers, size, seconds)}});
    const double each = median(seconds) / static_cast<double>(copies(one, size));
    if (tried.fastest == 0 || each < least) {
      tried.fastest = chunk;
      least = each;
    }
  }
  return tried;
}

Result measure_sizes(const Params& asked, const Context& context) {
  Check check;
  Tried tried;
  const bool chosen = asked.path == "pipelined" && asked.chunk == 0;
  if (chosen) tried = tried_chunks(asked, check);
  const Params params = chosen ? with_chunk(asked, tried.fastest) : asked;
  const Figures figures(params);
  Transfers transfers(params);
  Curve curve{.along = "transfer size", .unit = "B", .points = {}};
  Watch watch;
  const auto all = sizes(params);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto size = all[i];
    const std::string text = std::to_string(size) + " B";
    Context::step(params.path + " " + params.direction + ", " + text);
    const auto [seconds, wrong] = transfers.timed(size, watch);
    check.add(wrong, "transfers of " + text);
    curve.points.push_back({.at = static_cast<double>(size), .metrics = {figures.of(transfers, size, seconds)}});
    context.progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(all.size()));
  }
  Result result = finished(transfers, check, watch);
  const Point& best = headline(curve.points, figures.latency());
  result.metrics = best.metrics;
  result.conditions.emplace_back("headline_size", best.at);
  result.curves.emplace_back("size", std::move(curve));
  if (chosen) {
    result.conditions.emplace_back("chunk", params.chunk);
    result.curves.emplace_back("chunk", std::move(tried.curve));
  }
  return result;
}

// Returns the pairs in the order of their measurement: each device with the host, then with its partners, both in both
// directions.
std::vector<Ends> met(const Params& params, int devices) {
  std::vector<Ends> found;
  for (int device = 0; device < devices; ++device) {
    found.push_back({.from = -1, .to = device});
    found.push_back({.from = device, .to = -1});
  }
  if (devices < 2) return found;
  const auto some = params.rounds == 0 && devices > matrix::all ? matrix::rounds : params.rounds;
  const PairSchedule schedule(some, devices);
  for (int round = 0; round < schedule.rounds(); ++round) {
    for (int device = 0; device < devices; ++device) {
      if (const int peer = schedule.partner(device, round); peer >= 0) found.push_back({.from = device, .to = peer});
    }
  }
  return found;
}

Result measure_pairs(const Params& params, const Context& context) {
  Transfers transfers(params);
  Check check;
  const auto devices = transfers.devices();
  const std::string host = Communicator::host();
  Pairs pairs{.unit = "B/s", .ends = {{.host = host}}};
  for (const auto& device : devices) pairs.ends.push_back({.host = host, .device = device});
  Watch watch;
  const auto all = met(params, static_cast<int>(devices.size()));
  std::vector<Metric> metrics;  // one for each link that limits a pair
  const auto name = [](int end) { return end < 0 ? std::string("the host") : "device " + std::to_string(end); };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& ends = all[i];
    const std::string text = "pairs, from " + name(ends.from) + " to " + name(ends.to);
    Context::step(text);
    const auto [seconds, wrong] = transfers.timed(ends, watch);
    check.add(wrong, text);
    const double counted = static_cast<double>(matrix::size(params)) * matrix::copies;
    pairs.from.push_back(ends.from + 1);
    pairs.to.push_back(ends.to + 1);
    pairs.values.push_back(std::round(counted / median(seconds)));
    const auto demand = transfers.demand(ends, counted);
    const bool of_host = ends.from < 0 || ends.to < 0;
    const std::string figure = of_host                                  ? "host_bandwidth"
                               : demand.front().resource == "link.peer" ? "linked_bandwidth"
                                                                        : "device_bandwidth";
    auto metric = std::ranges::find(metrics, figure, &Metric::name);
    if (metric == metrics.end()) {
      metrics.push_back({figure, "B/s", {}, {.counted = counted, .demand = demand}});
      metric = std::prev(metrics.end());
    }
    metric->samples.push_back(pairs.values.back());
    context.progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(all.size()));
  }
  Result result = finished(transfers, check, watch);
  result.metrics = std::move(metrics);
  result.pairs.emplace_back("bandwidth", std::move(pairs));
  return result;
}

}  // namespace

Result measure(const Params& params, const Context& context) {
  return params.test == "pairs" ? measure_pairs(params, context) : measure_sizes(params, context);
}

}  // namespace banzuke::transfer
