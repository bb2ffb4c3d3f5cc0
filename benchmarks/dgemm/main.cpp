#include <algorithm>
#include <chrono>
#include <thread>

#include "core/paired.hpp"
#include "core/rank_rates.hpp"
#include "dgemm.hpp"
#include "split.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::dgemm;

Result measure(const Params& params, const Context& context) {
  if (params.split != "none") return measure_split(params, context);
  Dgemm dgemm(params, context.places);
  dgemm.run();  // starts the library's threads and touches its buffers
  dgemm.reset();
  // The threads that filled the matrices spin for a while, on the processors of the library's own threads.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  dgemm.run();
  std::vector<double> own;
  std::vector<double> seconds;
  double total = 0.0;
  const Watch watch;
  while (wants_more(params, static_cast<std::int64_t>(seconds.size()), total)) {
    context.ranks.barrier();
    own.push_back(dgemm.run());
    seconds.push_back(context.ranks.maximum(own.back()));
    total += seconds.back();
    const auto done = static_cast<std::int64_t>(seconds.size());
    context.progress(done, std::max(done, params.repetitions));  // short calls go on beyond the repetitions
  }

  Result result;
  result.conditions = watch.conditions();
  result.verification.push_back({"residual with a random vector",
                                 context.ranks.maximum(dgemm.residual(1 + static_cast<std::int64_t>(seconds.size()))),
                                 tolerance});
  for (auto& check : largest_of_ranks(dgemm.checks(), context.ranks)) result.verification.push_back(std::move(check));
  const Work all = work(params) * context.ranks.size();
  Metric metric{"flop_rate", "flop/s", {}, all};
  for (const double time : seconds) metric.samples.push_back(all.counted / time);
  result.metrics.push_back(std::move(metric));
  const double each = work(params).counted;
  for (const auto& more :
       {dgemm.conditions(), rank_rate_conditions(context.ranks, {{"flop_rate", each / median(own)}})}) {
    result.conditions.insert(result.conditions.end(), more.begin(), more.end());
  }
  result.software = dgemm.software();
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("dgemm", measure, argc, argv); }
