#include <algorithm>
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

// Latency at 8 B, or at the smallest size; bandwidth at its best.
const Point& headline(const std::vector<Point>& points, bool latency) {
  if (!latency) {
    return *std::ranges::max_element(points, {},
                                     [](const Point& point) { return median(point.metrics.front().samples); });
  }
  const auto usual = std::ranges::find(points, static_cast<double>(headline_latency), &Point::at);
  return usual == points.end() ? points.front() : *usual;
}

Result measure_sizes(const Params& params, const Context& context) {
  const bool latency = params.test == "latency";
  const double ways = params.direction == "both" ? 2.0 : 1.0;
  Transfers transfers(params);
  Check check;
  Curve curve{.along = "transfer size", .unit = "B", .points = {}};
  Watch watch;
  const auto all = sizes(params);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto size = all[i];
    const std::string text = std::to_string(size) + " B";
    Context::step(params.path + " " + params.direction + ", " + text);
    const auto [seconds, wrong] = transfers.timed(size, watch);
    check.add(wrong, "transfers of " + text);
    const double one_way = static_cast<double>(size) * static_cast<double>(copies(params, size));
    Metric metric{latency ? "latency" : "bandwidth", latency ? "s" : "B/s", {}, {.counted = ways * one_way}};
    if (!latency) metric.work.demand = transfers.demand(one_way);
    for (const double one : seconds) {
      metric.samples.push_back(latency ? quantised(one) : std::round(ways * one_way / one));
    }
    curve.points.push_back({.at = static_cast<double>(size), .metrics = {std::move(metric)}});
    context.progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(all.size()));
  }
  Result result = finished(transfers, check, watch);
  const Point& chosen = headline(curve.points, latency);
  result.metrics = chosen.metrics;
  result.conditions.emplace_back("headline_size", chosen.at);
  result.curves.emplace_back("size", std::move(curve));
  return result;
}

// Every device with the host, and with those that it meets, both ways, one pair after another.
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
  Metric metric{"bandwidth", "B/s", {}, {}};
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
    context.progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(all.size()));
  }
  metric.samples = pairs.values;
  metric.work.counted = static_cast<double>(matrix::size(params)) * matrix::copies;
  Result result = finished(transfers, check, watch);
  result.metrics.push_back(std::move(metric));
  result.pairs.emplace_back("bandwidth", std::move(pairs));
  return result;
}

}  // namespace

Result measure(const Params& params, const Context& context) {
  return params.test == "pairs" ? measure_pairs(params, context) : measure_sizes(params, context);
}

}  // namespace banzuke::transfer
