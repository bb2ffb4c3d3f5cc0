#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "deal.hpp"
#include "kernel_choice.hpp"
#include "lu.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::hpl;

constexpr std::size_t drawn_intervals = 30;  // of each column of the grid

// This rank's time of each part of a step, in at most this many intervals of equally many steps.
std::vector<double> in_intervals(const Profile& profile, std::size_t most) {
  const std::size_t steps = profile.steps().size() - 1;  // the last one has only the solution
  const std::size_t intervals = std::min(most, steps);
  std::vector<double> seconds(part_names.size() * intervals);
  for (std::size_t step = 0; step <= steps; ++step) {
    const std::size_t interval = std::min(step, steps - 1) * intervals / steps;
    for (std::size_t part = 0; part < part_names.size(); ++part) {
      seconds[part * intervals + interval] += profile.steps()[step][part];
    }
  }
  return seconds;
}

// The profile in intervals of equally many steps, as means over the ranks.
Breakdown breakdown(const Params& params, const Profile& profile, const Communicator& ranks) {
  constexpr std::size_t most = 60;
  const std::size_t steps = profile.steps().size() - 1;
  std::vector<double> seconds = in_intervals(profile, most);
  const std::size_t intervals = seconds.size() / part_names.size();
  for (double& value : seconds) value /= static_cast<double>(ranks.size());
  ranks.sum(seconds);

  Breakdown out{.along = "share of the columns eliminated", .ends = {}, .flops = {}, .seconds = {}};
  const double all = work(params).counted;
  double done = 0.0;
  for (std::size_t interval = 0; interval < intervals; ++interval) {
    // The first step that belongs to the next interval.
    const std::size_t step = ((interval + 1) * steps + intervals - 1) / intervals;
    const double share =
        std::min(1.0, static_cast<double>(step) * static_cast<double>(params.nb) / static_cast<double>(params.n));
    const double left = 1.0 - share;
    const double upto = all * (1.0 - left * left * left);
    out.ends.push_back(share);
    out.flops.push_back(upto - done);
    done = upto;
  }
  for (std::size_t part = 0; part < part_names.size(); ++part) {
    const auto* first = seconds.data() + part * intervals;
    out.seconds.emplace_back(part_names[part], std::vector<double>(first, first + intervals));
  }
  return out;
}

// Returns where this rank's time went, by part of a step.
std::array<double, part_names.size()> seconds_of_parts(const Profile& profile) {
  std::array<double, part_names.size()> seconds{};
  for (const Profile::Step& step : profile.steps()) {
    for (std::size_t part = 0; part < seconds.size(); ++part) seconds[part] += step[part];
  }
  return seconds;
}

// Measures the ranks, and returns how the columns of the grid share the matrix by it; with equal shares, nothing.
// Replaces `rates` in `params` by these shares.
Sharing share(Params& params, const Context& context) {
  if (params.deal == "equal") return {};
  const std::vector<double> rates = measure_rates(params, context.ranks, context.places);
  const std::vector<double> columns = column_rates(params, rates);
  if (params.deal == "rates") params.deal = deal_by_rehearsal(params, columns, context.ranks, context.places);
  return {.sum = std::accumulate(rates.begin(), rates.end(), 0.0), .rates = columns, .shares = column_shares(params)};
}

Result measure(const Params& asked, const Context& context) {
  Params params = asked;
  const Sharing sharing = share(params, context);
  Lu lu(params, context.ranks, context.places);
  const double begun = now();
  lu.generate();

  const Work each = work(params, hosts_of(context.ranks));
  const double all = each.counted;
  const Watch watch;
  context.ranks.barrier();
  const double start = now();
  lu.factorise([&, last = start, before = 0.0](double share) mutable {
    constexpr double often = 0.5;
    const double time = now();
    if (time - last < often && share < 1.0) return;
    context.progress(static_cast<std::int64_t>(1000.0 * share), 1000, all * (share - before) / (time - last), "flop/s");
    last = time;
    before = share;
  });
  lu.solve();
  const double seconds = context.ranks.maximum(now() - start);

  Result result;
  result.conditions = watch.conditions();
  result.breakdown = breakdown(params, lu.profile(), context.ranks);
  const double solved = now();
  result.verification.push_back({"||Ax-b|| / (eps (||A|| ||x|| + ||b||) N)", lu.residual(), tolerance});
  for (auto& check : largest_of_ranks(lu.checks(), context.ranks)) result.verification.push_back(std::move(check));
  result.metrics.push_back({"flop_rate", "flop/s", {all / seconds}, each, sharing.bounds(all, "products")});
  result.metrics.push_back({"time", "s", {seconds}, each, sharing.bounds(all, "products")});
  result.conditions.emplace_back("generation_seconds", start - begun);
  result.conditions.emplace_back("verification_seconds", now() - solved);
  std::array<char, 17> digest{};
  std::snprintf(digest.data(), digest.size(), "%016llx", static_cast<unsigned long long>(lu.pivot_digest()));
  result.conditions.emplace_back("pivots", digest.data());
  result.conditions.emplace_back("huge_page_fraction", huge_page_fraction());
  for (const auto& how :
       {sharing.conditions("column"),
        part_seconds("column", part_names, seconds_of_parts(lu.profile()), column_of_rank(params, context.ranks.size()),
                     context.ranks),
        sharing.rates.empty() ? Json::Object()
                              : part_intervals("column", part_names, in_intervals(lu.profile(), drawn_intervals),
                                               column_of_rank(params, context.ranks.size()), context.ranks),
        lu.conditions(), lu.device_seconds()}) {
    result.conditions.insert(result.conditions.end(), how.begin(), how.end());
  }
  result.software = lu.software();
  result.software.emplace_back("panel_kernels", widest_kernels().name);
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("hpl", measure, argc, argv); }
