#include <numeric>
#include <utility>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/hosts.hpp"
#include "ptrans.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::ptrans;

Result measure(const Params& params, const Context& context) {
  const Communicator& ranks = context.ranks;
  Context::step("generating the matrices");
  Ptrans ptrans(params, ranks);
  const Hosts hosts = hosts_of(ranks);
  const Work each = work(params.n, busiest_host(ranks, hosts, ptrans.sent(hosts)));
  ptrans.run();  // warm-up

  Context::step("transposing");
  Watch watch;
  std::vector<double> seconds;
  Rounds rounds(part_names);
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    ranks.barrier();
    const auto part = watch.part();
    const Times times = ptrans.run();
    rounds.add(times);
    seconds.push_back(ranks.maximum(std::reduce(times.parts.begin(), times.parts.end())));
    context.progress(round + 1, params.rounds, each.counted / seconds.back(), "B/s");
  }
  Result result;
  result.conditions = watch.conditions();
  Metric rate{"transpose_rate", "B/s", {}, each};
  for (const double time : seconds) rate.samples.push_back(each.counted / time);
  result.metrics.push_back(std::move(rate));
  result.metrics.push_back({"time", "s", seconds, each});
  result.breakdown = rounds.breakdown("share of the transpositions", each.counted / 8.0, ranks);

  Context::step("checking");
  auto wrong = static_cast<double>(ptrans.wrong(params.rounds + 1));
  ranks.sum({&wrong, 1});
  result.verification.push_back({"wrong elements", wrong, 0.0});
  constexpr double matrices = 2.0;
  result.conditions.emplace_back("working_set", matrices * each.counted);
  result.conditions.emplace_back("huge_page_fraction", huge_page_fraction());
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("ptrans", measure, argc, argv); }
