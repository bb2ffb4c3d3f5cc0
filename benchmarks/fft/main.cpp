#include "core/array.hpp"
#include "core/clock.hpp"
#include "fft.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::fft;

// As long as the input, that a transform reads or writes: input, output and what is between the two passes.
constexpr double vectors = 3.0;

// The rounds one after the other, as means over the ranks.
Breakdown breakdown(const std::vector<Times>& rounds, double flops, const Communicator& ranks) {
  std::vector<double> seconds(part_names.size() * rounds.size());
  Breakdown out{.along = "share of the transforms",
                .ends = {},
                .flops = std::vector<double>(rounds.size(), flops),
                .seconds = {}};
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    out.ends.push_back(static_cast<double>(i + 1) / static_cast<double>(rounds.size()));
    for (std::size_t part = 0; part < part_names.size(); ++part) {
      seconds[part * rounds.size() + i] = rounds[i][part] / static_cast<double>(ranks.size());
    }
  }
  ranks.sum(seconds);
  for (std::size_t part = 0; part < part_names.size(); ++part) {
    const auto* first = seconds.data() + part * rounds.size();
    out.seconds.emplace_back(part_names[part], std::vector<double>(first, first + rounds.size()));
  }
  return out;
}

Result measure(const Params& params, const Context& context) {
  Context::step("planning");
  Fft fft(params, split(params.n, context.ranks.size()), context.ranks);
  const Work each = work(params.n);
  Context::step("transforming");
  const double generating = now();
  fill(fft);
  const double generated = now() - generating;
  fft.run();

  const Watch watch;
  std::vector<double> seconds;
  std::vector<Times> parts;
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    fill(fft);
    context.ranks.barrier();
    const double begun = now();
    parts.push_back(fft.run());
    seconds.push_back(context.ranks.maximum(now() - begun));
    context.progress(round + 1, params.rounds, each.counted / seconds.back(), "flop/s");
  }
  Result result;
  result.conditions = watch.conditions();
  std::vector<double> rates;
  for (const double time : seconds) rates.push_back(each.counted / time);
  result.metrics.push_back({"flop_rate", "flop/s", rates, each});
  result.metrics.push_back({"time", "s", seconds, each});
  result.breakdown = breakdown(parts, each.counted, context.ranks);

  Context::step("checking");
  const double inverting = now();
  result.verification.push_back({"max |inverse - x| / (eps ln n)", inverse_error(fft, context.ranks), inverse_tolerance});
  const double inverted = now() - inverting;
  result.verification.push_back({"max |pulse - known| / (eps ln n)", pulse_error(fft, context.ranks), pulse_tolerance});
  Json::Object more{{"working_set", vectors * static_cast<double>(sizeof(Complex)) * static_cast<double>(params.n)},
                    {"generation_seconds", context.ranks.maximum(generated)},
                    {"planning_seconds", context.ranks.maximum(fft.planning_seconds())},
                    {"inverse_seconds", context.ranks.maximum(inverted)},
                    {"huge_page_fraction", huge_page_fraction()}};
  result.conditions.insert(result.conditions.end(), more.begin(), more.end());
  result.software = {{"kernels", fft.method()}};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("fft", BANZUKE_BACKEND, measure, argc, argv); }
