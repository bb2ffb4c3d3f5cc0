#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/rounds.hpp"
#include "gkv.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::gkv;

Result measure(const Params& params, const Context& context) {
  Context::step("filling the arrays");
  Gkv gkv(params, context.ranks);
  const Work each = gkv.work();
  Context::step("running the kernel");
  gkv.run();

  const Watch watch;
  std::vector<double> seconds;
  std::vector<double> rates;
  Rounds rounds(part_names);
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    context.ranks.barrier();
    const double begun = now();
    rounds.add(gkv.run());
    seconds.push_back(context.ranks.maximum(now() - begun));
    rates.push_back(each.counted / seconds.back());
    context.progress(round + 1, params.rounds, rates.back(), "point/s");
  }
  Result result;
  result.conditions = watch.conditions();
  result.metrics.push_back({"time", "s", seconds, each});
  result.metrics.push_back({"point_rate", "point/s", rates, each});
  if (params.kernel == "fft") {
    result.breakdown = rounds.breakdown("share of the runs", demanded(each, "flops.fp64"), context.ranks);
    result.conditions.emplace_back("exchange_overlap_seconds", rounds.overlapped(context.ranks));
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

int main(int argc, char** argv) { return run_program("gkv", measure, argc, argv); }
