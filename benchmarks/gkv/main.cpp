#include <algorithm>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "gkv.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::gkv;

// Of the breakdown: many short rounds share them.
constexpr std::size_t most_intervals = 20;

// The rounds one after the other, as means over the ranks.
Breakdown breakdown(const std::vector<Times>& rounds, double flops, const Communicator& ranks) {
  const std::size_t intervals = std::min(rounds.size(), most_intervals);
  std::vector<double> seconds(part_names.size() * intervals);
  Breakdown out{.along = "share of the runs", .ends = {}, .flops = {}, .seconds = {}};
  std::size_t round = 0;
  for (std::size_t i = 0; i < intervals; ++i) {
    const std::size_t begin = round;
    for (; round < rounds.size() * (i + 1) / intervals; ++round) {
      for (std::size_t part = 0; part < part_names.size(); ++part) {
        seconds[part * intervals + i] += rounds[round].parts.at(part) / static_cast<double>(ranks.size());
      }
    }
    out.ends.push_back(static_cast<double>(round) / static_cast<double>(rounds.size()));
    out.flops.push_back(flops * static_cast<double>(round - begin));
  }
  ranks.sum(seconds);
  for (std::size_t part = 0; part < part_names.size(); ++part) {
    const auto* first = seconds.data() + part * intervals;
    out.seconds.emplace_back(part_names[part], std::vector<double>(first, first + intervals));
  }
  return out;
}

Result measure(const Params& params, const Context& context) {
  Context::step("filling the arrays");
  Gkv gkv(params, context.ranks);
  const Work each = gkv.work();
  Context::step("running the kernel");
  gkv.run();

  const Watch watch;
  std::vector<double> seconds;
  std::vector<double> rates;
  std::vector<Times> rounds;
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    context.ranks.barrier();
    const double begun = now();
    rounds.push_back(gkv.run());
    seconds.push_back(context.ranks.maximum(now() - begun));
    rates.push_back(each.counted / seconds.back());
    context.progress(round + 1, params.rounds, rates.back(), "point/s");
  }
  Result result;
  result.conditions = watch.conditions();
  result.metrics.push_back({"time", "s", seconds, each});
  result.metrics.push_back({"point_rate", "point/s", rates, each});
  if (params.kernel == "fft") {
    result.breakdown = breakdown(rounds, demanded(each, "flops.fp64"), context.ranks);
    double overlapped = 0.0;
    for (const Times& times : rounds) overlapped += times.overlapped;
    context.ranks.sum({&overlapped, 1});
    result.conditions.emplace_back("exchange_overlap_seconds", overlapped / static_cast<double>(rounds.size()) /
                                                                   static_cast<double>(context.ranks.size()));
  }

  Context::step("checking");
  result.verification = gkv.check();
  double working_set = gkv.working_set();
  context.ranks.sum({&working_set, 1});
  result.conditions.emplace_back("working_set", working_set);
  result.conditions.emplace_back("huge_page_fraction", huge_page_fraction());
  result.software = {{"kernels", gkv.method()}};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("gkv", BANZUKE_BACKEND, measure, argc, argv); }
