// One of two programs of a job, for tests of what each group of ranks gets: the ranks of both sum their numbers.
#include <cstdint>
#include <string>

#include "core/application.hpp"
#include "core/clock.hpp"
#include "core/devices.hpp"

namespace {

using namespace banzuke;

constexpr int rounds = 3;

Result measure(const Context& context) {
  const double ranks = context.ranks.size();
  Metric metric{"sum_time", "s", {}, {}};
  double sum = 0.0;
  for (int round = 0; round < rounds; ++round) {
    const double start = now();
    sum = context.ranks.rank() + 1.0;
    context.ranks.sum({&sum, 1});
    metric.samples.push_back(context.ranks.maximum(now() - start));
  }
  Result result;
  result.metrics.push_back(metric);
  result.verification.push_back(
      {"difference of the sum from its closed form", std::abs(sum - ranks * (ranks + 1) / 2), 0.0});
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  std::string device;
  return run_program(
      {.benchmark = "together",
       .backend = BANZUKE_BACKEND,
       .declare =
           [&](Parameters& parameters) { parameters.add("device", device, "the device that each rank names, if any"); },
       .problem = [](int /*ranks*/) { return Problem{.footprint = 1e6}; },
       .run =
           [&](const Context& context) {
             if (!device.empty()) uses_device(device + " of " BANZUKE_BACKEND);
             return measure(context);
           }},
      argc, argv);
}
