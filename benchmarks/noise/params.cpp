#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/cpulist.hpp"
#include "gather.hpp"
#include "noise.hpp"

namespace banzuke::noise {
namespace {

constexpr double shortest_quantum = 1e-5;  // its chunks take as long as about ten readings of the clock
constexpr double longest_quantum = 10.0;
constexpr std::int64_t fewest_samples = 2;  // noise is the excess over the shortest sample, so one is not enough

}  // namespace

void declare(Parameters& parameters, Params& params) {
  parameters.add("test", params.test, "fwq: the time of fixed work; ftq: the work in fixed time", {"fwq", "ftq"});
  parameters.add("quantum", params.quantum, "seconds of a sample; 0: 6.13e-3 of fwq, 1e-3 of ftq",
                 Parameters::RealRange{.min = 0.0, .max = longest_quantum});
  parameters.add("samples", params.samples, "samples of each processor; 0: as many as take `seconds`",
                 {.min = 0, .max = most_values});
  parameters.add("seconds", params.seconds, "duration of all samples, where `samples` does not say how many",
                 Parameters::RealRange{.min = 1e-4, .max = 1e6});
  parameters.add("trace", params.trace, "whether the kernel traces who took the processors; needs root", {"off", "on"});
}

double quantum(const Params& params) {
  if (params.quantum > 0.0) return params.quantum;
  return params.test == "fwq" ? 6.13e-3 : 1e-3;
}

std::int64_t samples(const Params& params) {
  const double wanted = params.samples > 0 ? static_cast<double>(params.samples) : params.seconds / quantum(params);
  return std::clamp<std::int64_t>(std::llround(std::min(wanted, 1e18)), fewest_samples, most_values);
}

Problem problem(const Params& params, int ranks) {
  if (params.quantum > 0.0 && params.quantum < shortest_quantum) {
    throw UsageError("quantum: " + Json(params.quantum).dump() + " is shorter than " + Json(shortest_quantum).dump() +
                         " s, where reading the clock would be a large part of it",
                     {{{"quantum", shortest_quantum}}});
  }
  if (params.samples > 0 && params.samples < fewest_samples) {
    throw UsageError("samples: one alone has nothing to be longer than", {{{"samples", fewest_samples}}});
  }
  constexpr double sample = 24.0;    // time, undisturbed time, counter
  constexpr double recorded = 60.0;  // on rank 0: both series, as sent, kept and written
  const auto each = static_cast<double>(samples(params));
  const double own = each * omp_get_max_threads();
  return {
      .footprint = sample * own + recorded * std::min(own * ranks, std::max(each, static_cast<double>(most_values))),
      .facts = {{"quantum_wanted", quantum(params)}, {"samples_wanted", samples(params)}}};
}

void check(const Params& params, const Context& context) {
  for (const auto& place : context.places) {
    if (place.size() == 1) continue;
    throw UsageError(
        "a thread may run on processors " + format_list(place) +
        ", but noise is measured on one each: bind them with --binding, e.g. --binding 0,1 for two threads");
  }
  if (params.trace == "on" && context.ranks.maximum(context.ranks.local_rank()) > 0.0) {
    throw UsageError("trace: one rank a host traces all of its processors, so start one, with a thread for each");
  }
}

}  // namespace banzuke::noise
