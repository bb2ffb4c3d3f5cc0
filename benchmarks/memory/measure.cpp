#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/paired.hpp"
#include "gather.hpp"
#include "levels.hpp"
#include "loaded.hpp"
#include "memory.hpp"
#include "numa.hpp"
#include "pairs.hpp"
#include "streams.hpp"

namespace banzuke::memory {
namespace {

// What a sweep over sizes measures: the metric, and the names of its two checks.
struct Kind {
  std::string metric;
  std::string unit;
  std::string prepared;  // quantity of the check of what prepare() finds wrong
  std::string run;       // quantity of the check of what the runs leave wrong
};

template <class Subject>
class Sweep {
 public:
  Sweep(const Params& params, const Context& context, Kind kind)
      : params_(params), ranks_(context.ranks), kind_(std::move(kind)), subject_(params) {
    double owners = owners_of_data();
    ranks_.sum({&owners, 1});
    owners_ = owners;
  }

  Result run(const Context& context) {
    const auto levels = memory::levels(params_, context);
    std::vector<std::int64_t> own;
    own.reserve(levels.size());
    for (const Level& level : levels) own.push_back(level.size);
    const auto all = sizes(params_, own);
    Watch watch;
    Result result;
    Curve curve{.along = std::string(owner_of_data(params_)), .unit = "B", .points = {}};
    for (std::size_t i = 0; i < all.size(); ++i) {
      Metric metric = measure(all[i], watch);
      for (const Level& level : levels) {
        if (level.size == all[i]) result.metrics.push_back(of_cache(metric, level));
      }
      curve.points.push_back({.at = static_cast<double>(all[i]), .metrics = {std::move(metric)}});
      context.progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(all.size()));
    }
    result.conditions = watch.conditions();
    result.metrics.push_back(of_memory(curve.points.back().metrics.front()));
    result.curves.emplace_back("size", std::move(curve));
    if (!kind_.prepared.empty()) result.verification.push_back({kind_.prepared, prepared_wrong_, 0.0});
    result.verification.push_back({kind_.run, run_wrong_, 0.0});
    for (auto& check : largest_of_ranks(subject_.checks(), ranks_)) result.verification.push_back(std::move(check));
    result.conditions.emplace_back("working_set", static_cast<double>(all.back()) * owners_);
    const auto how = subject_.conditions();
    result.conditions.insert(result.conditions.end(), how.begin(), how.end());
    return result;
  }

 private:
  bool latency() const { return kind_.unit == "s"; }

  bool gather() const { return params_.test == "gather"; }

  // Returns the bytes, or loads, of all threads, or devices, in so many passes, or groups of loads.
  double amount(std::int64_t size, std::int64_t times) const {
    const std::int64_t each = gather() ? Gather::group : counted(loop_named(params_.loop), size);
    return static_cast<double>(each) * owners_ * static_cast<double>(times);
  }

  // Returns the seconds of the slowest thread.
  double run(std::int64_t times) {
    ranks_.barrier();
    return ranks_.maximum(subject_.run(times));
  }

  // Returns the number of loads, or passes, that take as long as a sample should.
  std::int64_t enough(std::int64_t size) {
    const double wanted = 1e-6 * static_cast<double>(params_.sample_us);
    constexpr double nearly = 0.8;
    constexpr double fastest = 1e-11;  // no load or pass takes less; if the compiler removed it, the check finds that
    const std::int64_t lines = size / cache_line();
    std::int64_t times = latency() ? 1000 : 1;
    for (;;) {
      // After whole rounds a chase ends where it began, so the check could not see missing loads.
      if (latency() && times % lines == 0) ++times;
      const double seconds = run(times);
      if (seconds >= nearly * wanted || static_cast<double>(times) * fastest > wanted) return times;
      times = static_cast<std::int64_t>(static_cast<double>(times) *
                                        std::clamp(wanted / std::max(seconds, 1e-9), 1.5, 10.0)) +
              1;
    }
  }

  Metric measure(std::int64_t size, Watch& watch) {
    const std::string name = params_.test + ", " + std::to_string(size) + " B, ";
    Context::step(name + "prepared");
    prepared_wrong_ += ranks_.maximum(static_cast<double>(subject_.prepare(size)));
    Context::step(name + "timed");
    const std::int64_t times = enough(size);
    Metric metric{.name = kind_.metric, .unit = kind_.unit, .samples = {}, .work = {}};
    if (!latency()) metric.work.counted = amount(size, times);
    {
      const auto part = watch.part();
      for (std::int64_t round = 0; round < params_.rounds; ++round) {
        const double seconds = run(times);
        metric.samples.push_back(latency() ? seconds / static_cast<double>(times) : metric.work.counted / seconds);
      }
    }
    Context::step(name + "checked");
    run_wrong_ += ranks_.maximum(static_cast<double>(subject_.wrong()));
    return metric;
  }

  // Returns the metric of a cache, with its demand on that cache's bandwidth.
  Metric of_cache(Metric metric, const Level& level) const {
    metric.name = level.name() + '_' + kind_.metric;
    if (latency()) return metric;
    metric.work.demand = demand("memory." + level.name() + '.', metric.work.counted);
    // Loads alone are also the best of all accesses that some caches take.
    if (metric.work.demand.front().resource.ends_with("loads")) {
      metric.work.demand.push_back({.resource = "memory." + level.name() + ".bytes", .amount = metric.work.counted});
    }
    return metric;
  }

  // Returns the demand of this test on the memory, or on a cache: of bytes, of bytes by loads alone, of random loads.
  std::vector<Demand> demand(const std::string& whose, double amount) const {
    return {{.resource = whose + (gather()                 ? "gathers"
                                  : params_.loop == "load" ? "loads"
                                                           : "bytes"),
             .amount = amount}};
  }

  // Adds the demand of the metric for the largest data size, which is that on the memory.
  Metric of_memory(Metric metric) const {
    if (latency()) return metric;
    metric.work.demand = demand("memory.", metric.work.counted);
    return metric;
  }

  const Params& params_;
  const Communicator& ranks_;
  Kind kind_;
  Subject subject_;
  double owners_ = 1.0;  // threads, or devices
  double prepared_wrong_ = 0.0;
  double run_wrong_ = 0.0;
};

Result measure_latency(const Params& params, const Context& context) {
  return Sweep<Chases>(params, context,
                       {.metric = "latency",
                        .unit = "s",
                        .prepared = "lines that a cycle does not visit exactly once",
                        .run = "chases that ended elsewhere than their loads lead"})
      .run(context);
}

// Random loads, then dependent ones from the largest data: their rate times their latency are the loads that are in
// flight (Little's law).
Result measure_gather(const Params& params, const Context& context) {
  Result result =
      Sweep<Gathers>(
          params, context,
          {.metric = "gather_rate", .unit = "load/s", .prepared = "", .run = "sums that are not those of all loads"})
          .run(context);
  Params dependent = params;
  dependent.test = "latency";
  dependent.min_size = sizes(params).back();
  const Result chased = measure_latency(dependent, context);
  double threads = owners_of_data();
  context.ranks.sum({&threads, 1});
  const double rate = median(result.metrics.back().samples) / threads;
  Metric in_flight{.name = "loads_in_flight", .unit = "count", .samples = {}, .work = {}};
  for (const double latency : chased.metrics.back().samples) in_flight.samples.push_back(rate * latency);
  result.metrics.push_back(std::move(in_flight));
  result.verification.insert(result.verification.end(), chased.verification.begin(), chased.verification.end());
  return result;
}

}  // namespace

Result measure(const Params& params, const Context& context) {
  if (params.test == "pairs") return measure_pairs(params, context);
  if (params.test == "loaded") return measure_loaded(params, context);
  if (params.test == "numa") return measure_numa(params, context);
  if (params.test == "latency") return measure_latency(params, context);
  if (params.test == "gather") return measure_gather(params, context);
  return Sweep<Loops>(params, context,
                      {.metric = params.loop + "_bandwidth",
                       .unit = "B/s",
                       .prepared = "",
                       .run = params.loop == "load" ? "sums that are not those of all loads"
                                                    : "elements that are not as all passes leave them"})
      .run(context);
}

}  // namespace banzuke::memory
