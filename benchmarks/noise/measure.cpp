#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>

#include "core/clock.hpp"
#include "figures.hpp"
#include "gather.hpp"
#include "noise.hpp"
#include "system.hpp"
#include "timer.hpp"
#include "trace.hpp"
#include "work.hpp"

namespace banzuke::noise {
namespace {

constexpr double ftq_chunk = 0.2e-6;  // seconds: the resolution of ftq, about ten readings of the clock

Plan plan_for(const Params& params, const Communicator& ranks) {
  const bool fixed_work = params.test == "fwq";
  const double chunk = fixed_work ? quantum(params) / chunks_of_quantum : ftq_chunk;
  return {.fixed_work = fixed_work,
          .blocks = calibrate(chunk, ranks),
          .interval = std::llround(quantum(params) * second),
          .samples = samples(params)};
}

Json written(const Counts& counts) {
  Json out = Json::object();
  for (const auto& [name, count] : counts) out.set(name, count);
  return out;
}

// Rounds to the trace's resolution.
double microseconds(double seconds) { return std::round(seconds * 1e6) / 1e6; }

// Gathers the blame of all ranks on rank 0: one line each, with the name last because it may contain anything but a
// newline.
Json gather_blame(const Communicator& ranks, const std::vector<Blame>& own) {
  constexpr std::size_t most = 40;
  std::ostringstream text;
  text.precision(9);
  for (std::size_t i = 0; i < std::min(most, own.size()); ++i) {
    text << own[i].kind << ' ' << own[i].events << ' ' << own[i].seconds << ' ' << own[i].longest << ' ' << own[i].who
         << '\n';
  }
  std::vector<Blame> all;
  for (const auto& lines : ranks.gather(text.str())) {
    std::istringstream in(lines);
    for (Blame one;
         in >> one.kind >> one.events >> one.seconds >> one.longest && in.ignore() && std::getline(in, one.who);) {
      merge(all, one);
    }
  }
  std::ranges::sort(all, std::ranges::greater(), &Blame::seconds);
  Json::Array out;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    out.emplace_back(Json::object({{"who", all[i].who},
                                   {"kind", all[i].kind},
                                   {"events", all[i].events},
                                   {"seconds", microseconds(all[i].seconds)},
                                   {"longest", microseconds(all[i].longest)}}));
  }
  return out;
}

double most_work(const Communicator& ranks, const std::vector<Lane>& lanes) {
  std::int64_t most = 1;
  for (const auto& lane : lanes) most = std::max(most, *std::ranges::max_element(lane.samples));
  return ranks.maximum(static_cast<double>(most));
}

void add_checks(const Communicator& ranks, const Plan& plan, const std::vector<Lane>& lanes, Result& result) {
  std::array<double, 2> wrong{};
  for (const auto& lane : lanes) {
    const auto steps = static_cast<std::uint64_t>(lane.chunks * plan.blocks * steps_of_block);
    wrong[0] += lane.value == jumped(seed, steps) ? 0.0 : 1.0;
    wrong[1] += static_cast<double>(lane.elsewhere);
  }
  ranks.sum(wrong);
  result.verification.push_back(
      {.quantity = "processors whose work has a wrong value", .value = wrong[0], .tolerance = 0.0});
  result.verification.push_back(
      {.quantity = "samples that ended on another processor", .value = wrong[1], .tolerance = 0.0});
}

void add_disturbances(const Communicator& ranks, const Measured& measured, Result& result) {
  std::array<double, 4> sums{};  // switches, seconds stolen, seconds of delay, threads whose delay is not known
  double span = 0.0;
  for (const auto& lane : measured.lanes) {
    sums[0] += static_cast<double>(lane.involuntary_switches);
    sums[2] += std::max(0.0, lane.run_delay);
    sums[3] += lane.run_delay < 0.0 ? 1.0 : 0.0;
    span = std::max(span, 1e-9 * static_cast<double>(lane.span));
  }
  sums[1] = measured.disturbances.stolen_seconds;
  ranks.sum(sums);
  auto& conditions = result.conditions;
  conditions.emplace_back("timed_seconds", ranks.maximum(span));
  conditions.emplace_back("involuntary_switches", static_cast<std::int64_t>(sums[0]));
  if (sums[3] == 0.0) conditions.emplace_back("run_delay", sums[2]);
  conditions.emplace_back("stolen_seconds", sums[1]);
  conditions.emplace_back("interrupts", written(gather_counts(ranks, measured.disturbances.interrupts)));
  conditions.emplace_back("softirqs", written(gather_counts(ranks, measured.disturbances.softirqs)));
}

}  // namespace

Result measure(const Params& params, const Context& context) {
  check(params, context);
  const Communicator& ranks = context.ranks;
  std::vector<int> cpus(context.places.size());
  std::ranges::transform(context.places, cpus.begin(), [](const auto& place) { return place.front(); });
  const double expected = quantum(params) * static_cast<double>(samples(params));
  std::ostringstream step;
  step << params.test << ": takes " << samples(params) << " samples of " << quantum(params) << " s";
  Context::step(step.str());
  const Plan plan = plan_for(params, ranks);
  std::optional<Trace> trace;
  if (params.trace == "on") trace.emplace(cpus, expected);
  // No progress is reported before the end, because its reader would wake up on a processor that is measured.
  TimedParts timed;
  const Measured measured = [&] {
    const TimedParts::Part part(timed);
    return take_samples(plan, cpus, ranks, trace ? &*trace : nullptr);
  }();
  context.progress(plan.samples, plan.samples);

  Result result;
  if (trace) {
    trace->stop();
    const auto [blame, lost] = trace->blame();
    std::array<double, 1> missed{static_cast<double>(lost)};
    ranks.sum(missed);
    result.conditions.emplace_back("blame", gather_blame(ranks, blame));
    result.conditions.emplace_back("trace_events_lost", static_cast<std::int64_t>(missed[0]));
  }
  add_checks(ranks, plan, measured.lanes, result);
  if (plan.fixed_work) {
    add_fixed_work(ranks, measured.lanes, result);
  } else {
    add_fixed_time(ranks, measured.lanes, result);
    result.conditions.emplace_back("quantum", 1e-9 * static_cast<double>(plan.interval));
    result.conditions.emplace_back("chunk",
                                   1e-9 * static_cast<double>(plan.interval) / most_work(ranks, measured.lanes));
  }
  result.conditions.emplace_back("samples", plan.samples);
  result.conditions.emplace_back("timed_parts", timed.json());
  add_disturbances(ranks, measured, result);
  const Timer timer;
  result.conditions.emplace_back("invariant_tsc", invariant_tsc());
  result.conditions.emplace_back("clock_tick", clock_tick());
  result.conditions.emplace_back("clock_reading", timer.reading());
  return result;
}

}  // namespace banzuke::noise
