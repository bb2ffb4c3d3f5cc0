#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "collectives.hpp"
#include "core/network.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::collectives;

constexpr int verified_calls = 3;  // at each size
constexpr double headline_size = 8.0;
constexpr std::int64_t packet = 40;  // smallest number of bytes that a message takes on the wire, with its headers

double mean(std::span<const double> values) {
  return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

// Combines the times of single calls over the ranks by reductions, so that no rank ever holds the samples of all.
class OverRanks {
 public:
  explicit OverRanks(const Communicator& ranks) : ranks_(ranks) {}

  std::vector<double> mean(std::vector<double> values) const {
    ranks_.sum(values);
    for (double& value : values) value /= ranks_.size();
    return values;
  }
  double mean(double value) const { return mean(std::vector{value}).front(); }
  std::vector<double> most(std::vector<double> values) const {
    ranks_.maximum(values);
    return values;
  }
  double most(double value) const { return ranks_.maximum(value); }
  double least(double value) const { return -ranks_.maximum(-value); }

 private:
  const Communicator& ranks_;
};

Metric seconds(std::string name, std::vector<double> samples, std::int64_t size) {
  std::ranges::transform(samples, samples.begin(), quantised);
  return {.name = std::move(name),
          .unit = "s",
          .samples = std::move(samples),
          .work = {.counted = static_cast<double>(size)}};
}

class Measurement {
 public:
  Measurement(const Params& params, const Context& context, std::int64_t max_size)
      : params_(params), context_(context), over_(context.ranks), collective_(params, max_size, context.ranks) {}

  std::vector<Metric> at(std::int64_t size) {
    const Count calls = count(params_, size);
    std::vector<double> each(static_cast<std::size_t>(calls.iterations));
    tell(size, "timed");
    collective_.time(size, calls.warm_up, each);
    const double pure = mean(each);
    std::vector<Metric> metrics;
    if (blocking(params_)) {
      metrics.push_back(seconds("latency", over_.mean(each), size));
      metrics.push_back(seconds("slowest_latency", over_.most(each), size));
    } else {
      const std::vector<double> pure_each = over_.mean(each);
      tell(size, "timed with a computation");
      const Overlapped parts = collective_.overlap(size, calls.warm_up, pure, each);
      const std::vector<double> overall = over_.mean(each);
      const double compute = over_.mean(parts.compute);
      metrics.push_back(seconds("latency", overall, size));
      metrics.push_back(seconds("slowest_latency", over_.most(each), size));
      metrics.push_back(seconds("pure_latency", pure_each, size));
      metrics.push_back(seconds("compute_time", {compute}, size));
      metrics.push_back(seconds("start_time", {over_.mean(parts.start)}, size));
      metrics.push_back(seconds("wait_time", {over_.mean(parts.wait)}, size));
      metrics.push_back({.name = "overlap",
                         .unit = "1",
                         .samples = {std::max(0.0, 1.0 - (mean(overall) - compute) / mean(pure_each))},
                         .work = {}});
    }
    metrics.push_back(seconds("fastest_rank", {over_.least(pure)}, size));
    metrics.push_back(seconds("slowest_rank", {over_.most(pure)}, size));
    const std::int64_t all = (blocking(params_) ? 1 : 2) * (calls.iterations + calls.warm_up);
    carried_ += static_cast<double>(all) * static_cast<double>(std::max(size, packet));
    return metrics;
  }

  void verify(std::int64_t size) {
    tell(size, "verified");
    for (int i = 0; i < verified_calls; ++i) wrong_ += static_cast<double>(collective_.wrong(size, ++verified_));
  }

  // Returns the number of wrong elements on all ranks.
  double wrong() const {
    double all = wrong_;
    context_.ranks.sum({&all, 1});
    return all;
  }

  // Returns the least number of bytes that the timed calls must send for each host beyond the first: in every
  // operation, whatever its algorithm, each host sends data to another one or receives some.
  double carried() const { return carried_; }

 private:
  void tell(std::int64_t size, const char* what) const {
    Context::step(params_.operation + ", " + std::to_string(size) + " B, " + what);
  }

  const Params& params_;
  const Context& context_;
  OverRanks over_;
  Collective collective_;
  double carried_ = 0.0;
  std::uint64_t verified_ = 0;
  double wrong_ = 0.0;
};

double other_hosts(const Communicator& ranks) {
  const auto hosts = ranks.gather(Communicator::host());
  return static_cast<double>(std::set(hosts.begin(), hosts.end()).size()) - 1.0;
}

Result measure(const Params& params, const Context& context) {
  const Communicator& ranks = context.ranks;
  const auto all_sizes = sizes(params, ranks.size());
  Context::step(params.operation + ", buffers");
  const Wire wire;
  Measurement measurement(params, context, all_sizes.back());
  Curve curve{.along = "message size", .unit = "B", .points = {}};
  Watch watch;
  for (const std::int64_t size : all_sizes) {
    {
      const auto part = watch.part();
      curve.points.push_back({.at = static_cast<double>(size), .metrics = measurement.at(size)});
    }
    measurement.verify(size);
    context.progress(static_cast<std::int64_t>(curve.points.size()), static_cast<std::int64_t>(all_sizes.size()));
  }

  Result result;
  result.conditions = watch.conditions();
  const auto at_headline = std::ranges::find(curve.points, headline_size, &Point::at);
  const Point& headline = at_headline == curve.points.end() ? curve.points.front() : *at_headline;
  // If a computation runs during the call, it takes most of the call's time, so "latency" says little then.
  for (const Metric& metric : headline.metrics) {
    const bool tells =
        blocking(params) ? metric.name == "latency" : metric.name == "pure_latency" || metric.name == "overlap";
    if (tells) result.metrics.push_back(metric);
  }
  result.conditions.emplace_back("headline_size", headline.at);
  result.conditions.emplace_back("largest_size", curve.points.back().at);
  result.verification.push_back({params.operation == "barrier" ? "ranks that left a barrier before all had come"
                                                               : "elements that a call left wrong",
                                 measurement.wrong(), 0.0});
  const double hosts = other_hosts(ranks);
  Carried network = carried(ranks, wire, ranks.rank() == 0 ? hosts * measurement.carried() : 0.0);
  for (auto& condition : network.conditions) result.conditions.push_back(std::move(condition));
  if (network.verification) result.verification.push_back(*network.verification);
  result.curves.emplace_back("size", std::move(curve));
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("collectives", measure, argc, argv); }
