#include "core/clock.hpp"
#include "core/paired.hpp"
#include "core/rank_rates.hpp"
#include "gups.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::gups;

Result measure(const Params& params, const Context& context) {
  Gups gups(params, context.ranks);
  std::vector<double> seconds;
  const Watch watch;
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    context.ranks.barrier();
    seconds.push_back(gups.run(round));
    context.progress(round + 1, 2 * params.rounds);
  }

  Result result;
  result.conditions = watch.conditions();
  const std::int64_t made = gups.updates();
  const std::int64_t words = gups.table_words();
  const bool shared = words != params.n;
  if (!shared) {
    const double own = static_cast<double>(made) / median(seconds);
    const auto rates = rank_rate_conditions(context.ranks, {{"update_rate", own}});
    result.conditions.insert(result.conditions.end(), rates.begin(), rates.end());
  }
  context.ranks.maximum(seconds);
  const Work all = work(static_cast<double>(made) * context.ranks.size(), gups.line(), gups.missing());
  Metric metric{"update_rate", "update/s", {}, all};
  for (const double took : seconds) metric.samples.push_back(all.counted / took);
  result.metrics.push_back(std::move(metric));

  Context::step("making the updates again to check them");
  const std::int64_t updates = params.rounds * made * (shared ? context.ranks.size() : 1);
  const double checked = now();
  const auto bits = static_cast<double>(wrong_bits(gups.tally(), words, updates));
  gups.replay(updates);
  const double wrong = 1.0 - static_cast<double>(gups.tally().right) / static_cast<double>(words);
  result.verification.push_back({"share of wrong words", context.ranks.maximum(wrong), tolerance(params)});
  // A lost update changes the checksum, so it is only checked if none may be lost.
  if (tolerance(params) == 0.0) {
    result.verification.push_back({"wrong bits of the checksum", context.ranks.maximum(bits), 0.0});
  }
  for (auto& check : largest_of_ranks(gups.checks(), context.ranks)) result.verification.push_back(std::move(check));
  result.conditions.emplace_back("working_set", footprint(params) * context.ranks.size());
  result.conditions.emplace_back("updates", made * context.ranks.size());
  result.conditions.emplace_back("check_seconds", context.ranks.maximum(now() - checked));
  const auto how = gups.conditions();
  result.conditions.insert(result.conditions.end(), how.begin(), how.end());
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("gups", measure, argc, argv); }
