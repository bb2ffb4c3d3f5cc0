#include <numeric>
#include <string>
#include <utility>

#include "cached.hpp"
#include "core/all_to_all.hpp"
#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/fft/batch.hpp"
#include "core/paired.hpp"
#include "core/rank_rates.hpp"
#include "core/rounds.hpp"
#include "fft.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::fft;

// Vectors of the input's length that a transform reads or writes: input, output and the result of the first pass.
constexpr double vectors = 3.0;

// Adds the rate of the same transforms on data in the caches, which bounds that of the whole transform.
void add_cached(const Params& params, const Context& context, const Work& each, Result& result) {
  Context::step("transforming in the caches");
  constexpr std::int64_t samples = 5;
  const int all = context.ranks.size();
  const Cached cached = cached_transforms(split(params.n, sharing(params, all)), samples, context.ranks, kernels());
  const double flops = each.counted / at_once(params, all);  // of one transform, which all threads share
  Metric rate{"cached_rate", "flop/s", {}, {.counted = flops, .demand = {{"flops.fft", flops}}}};
  for (const double seconds : cached.seconds) rate.samples.push_back(flops / seconds);
  result.metrics.push_back(std::move(rate));
  const std::string quantity = "max |cached - known| / (eps sqrt(n) ln n)";
  result.verification.push_back({quantity, cached.error, cached_tolerance});
}

Result measure(const Params& params, const Context& context) {
  Context::step("planning");
  const int transforms = at_once(params, context.ranks.size());
  const int ranks = sharing(params, context.ranks.size());
  Fft fft(params, split(params.n, ranks), context.ranks);
  const int fullest = ranks > 1 ? hosts_of(context.ranks).fullest : 1;
  const Work each = work(params.n, ranks, fullest, params.order == "natural" ? 3 : 1) * transforms;
  Context::step("transforming");
  const double generating = now();
  fft.fill();
  const double generated = now() - generating;
  fft.run();

  Watch watch;
  std::vector<double> own;
  std::vector<double> seconds;
  Rounds rounds(part_names);
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    fft.fill();
    context.ranks.barrier();
    const auto part = watch.part();
    const Times times = fft.run();
    rounds.add(times);
    own.push_back(std::reduce(times.parts.begin(), times.parts.end()));
    seconds.push_back(context.ranks.maximum(own.back()));
    context.progress(round + 1, params.rounds, each.counted / seconds.back(), "flop/s");
  }
  Result result;
  result.conditions = watch.conditions();
  std::vector<double> rates;
  rates.reserve(seconds.size());
  for (const double time : seconds) rates.push_back(each.counted / time);
  result.metrics.push_back({"flop_rate", "flop/s", rates, each});
  result.metrics.push_back({"time", "s", seconds, each});
  result.breakdown = rounds.breakdown("share of the transforms", each.counted, context.ranks);

  Context::step("checking");
  const double inverting = now();
  result.verification.push_back(
      {"max |inverse - x| / (eps ln n)", inverse_error(fft, context.ranks, transforms), inverse_tolerance});
  const double inverted = now() - inverting;
  result.verification.push_back({"max |pulse - known| / (eps ln n)",
                                 pulse_error(fft, context.ranks, params.dimensions, transforms), pulse_tolerance});
  for (auto check : fft.checks()) result.verification.push_back(std::move(check));
  if (!of_devices) add_cached(params, context, each, result);
  Json::Object more{
      {"working_set", vectors * static_cast<double>(sizeof(Complex)) * static_cast<double>(params.n) * transforms},
      {"generation_seconds", context.ranks.maximum(generated)},
      {"planning_seconds", context.ranks.maximum(fft.planning_seconds())},
      {"inverse_seconds", context.ranks.maximum(inverted)},
      {"huge_page_fraction", huge_page_fraction()}};
  if (ranks > 1) more.emplace_back("exchange_overlap_seconds", rounds.overlapped(context.ranks));
  result.conditions.insert(result.conditions.end(), more.begin(), more.end());
  const auto how = fft.conditions();
  result.conditions.insert(result.conditions.end(), how.begin(), how.end());
  if (ranks == 1) {
    const double flops = each.counted / transforms;
    const auto rates = rank_rate_conditions(context.ranks, {{"flop_rate", flops / median(own)}});
    result.conditions.insert(result.conditions.end(), rates.begin(), rates.end());
  }
  result.software = fft.software();
  result.software.emplace_back("kernels", fft.method());
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("fft", measure, argc, argv); }
