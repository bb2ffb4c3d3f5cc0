#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/rank_rates.hpp"
#include "stream.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::stream;

Result measure(const Params& params, const Context& context) {
  Stream stream(params);
  stream.calibrate();
  std::array<std::vector<double>, kernels.size()> seconds;
  std::vector<double> dots;
  const Watch watch;
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      context.ranks.barrier();
      seconds[i].push_back(stream.run(kernels[i]));
    }
    dots.push_back(stream.dot());
    context.progress(round + 1, params.rounds);
  }

  Result result;
  result.conditions = watch.conditions();
  const auto read = [&](std::size_t array, const Piece& piece) { stream.read(array, piece); };
  result.verification.push_back(
      {"mean relative error of the arrays", context.ranks.maximum(error(read, params.rounds)), tolerance});
  result.verification.push_back({"relative error of the dot products", context.ranks.maximum(dot_error(dots, params.n)),
                                 dot_tolerance(params.n)});
  for (auto& check : largest_of_ranks(stream.checks(), context.ranks)) result.verification.push_back(std::move(check));
  std::vector<std::pair<std::string, double>> own;  // by the best round, as in the official code
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string name = std::string(kernel_names[i]) + "_bandwidth";
    const double least = *std::min_element(seconds[i].begin() + 1, seconds[i].end());
    own.emplace_back(name, work(kernels[i], params.n).counted / least);
    context.ranks.maximum(seconds[i]);
    const Work all = work(kernels[i], params.n * context.ranks.size());
    Metric metric{name, "B/s", {}, all};
    for (std::size_t round = 1; round < seconds[i].size(); ++round) {
      metric.samples.push_back(all.counted / seconds[i][round]);
    }
    result.metrics.push_back(std::move(metric));
  }
  result.conditions.emplace_back("working_set", footprint(params) * context.ranks.size());
  for (const auto& more : {stream.conditions(), rank_rate_conditions(context.ranks, own)}) {
    result.conditions.insert(result.conditions.end(), more.begin(), more.end());
  }
  result.conditions.emplace_back("clock_tick", clock_tick());
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("stream", measure, argc, argv); }
