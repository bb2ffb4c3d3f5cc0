#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/clock.hpp"
#include "deal.hpp"
#include "geofem.hpp"
#include "reference.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::geofem;

// Returns the seconds of each part, for intervals of about equally many iterations, as means over the ranks.
Breakdown breakdown(const Outcome& outcome, double flops, const Communicator& ranks) {
  constexpr std::size_t most = 60;
  const auto& iterations = outcome.iterations;
  const std::size_t intervals = std::min(most, iterations.size());
  std::vector<double> seconds(part_names.size() * intervals);
  Breakdown out{.along = "share of the iterations", .ends = {}, .flops = std::vector<double>(intervals), .seconds = {}};
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const std::size_t interval = i * intervals / iterations.size();
    out.flops[interval] += flops;
    for (std::size_t part = 0; part < part_names.size(); ++part) {
      seconds[part * intervals + interval] += iterations[i][part] / static_cast<double>(ranks.size());
    }
  }
  ranks.sum(seconds);
  double done = 0.0;
  for (const double of : out.flops) {
    done += of;
    out.ends.push_back(done / (flops * static_cast<double>(iterations.size())));
  }
  for (std::size_t part = 0; part < part_names.size(); ++part) {
    const auto* first = seconds.data() + part * intervals;
    out.seconds.emplace_back(part_names[part], std::vector<double>(first, first + intervals));
  }
  return out;
}

// Returns where this rank's time went, by part of an iteration.
std::array<double, part_names.size()> seconds_of_parts(const Outcome& outcome) {
  std::array<double, part_names.size()> seconds{};
  for (const auto& iteration : outcome.iterations) {
    for (std::size_t part = 0; part < seconds.size(); ++part) seconds[part] += iteration[part];
  }
  return seconds;
}

Result measure(const Params& asked, const Context& context) {
  Params params = asked;
  const Sharing sharing = share(params, context.ranks);
  Work each = work(params);
  const double begun = now();
  Cube cube(params, context.ranks);
  const double made = context.ranks.maximum(now() - begun);
  const Hosts hosts = hosts_of(context.ranks);
  if (hosts.count > 1) {
    const double mine = bytes_from_other_hosts(params, cube.domain(), hosts, context.ranks.rank());
    constexpr double sums = 3 * 8.0;
    const double received = busiest_host(context.ranks, hosts, mine) + sums;
    each.demand.push_back({.resource = "link.bytes", .amount = received, .busiest = "host"});
  }

  const Watch watch;
  const auto outcome = cube.solve(most_iterations(params), [&, last = now(), before = std::int64_t{0}, furthest = 0.0](
                                                               std::int64_t iteration, double left) mutable {
    constexpr double often = 0.5;
    const double time = now();
    furthest = std::max(furthest, std::log(left) / std::log(tolerance));
    if (time - last < often) return;
    context.progress(static_cast<std::int64_t>(1000.0 * std::min(1.0, furthest)), 1000,
                     each.counted * static_cast<double>(iteration - before) / (time - last), "flop/s");
    last = time;
    before = iteration;
  });
  if (!(outcome.residual <= tolerance)) {
    throw std::runtime_error("no solution after " + std::to_string(outcome.iterations.size()) +
                             " iterations: |r| / |b| is " + Json(outcome.residual).dump() + ", wanted " +
                             Json(tolerance).dump());
  }
  Result result;
  result.conditions = watch.conditions();
  const double seconds = context.ranks.maximum(outcome.seconds);
  const auto iterations = static_cast<double>(outcome.iterations.size());
  const Work all = each * iterations;
  const std::vector<Bound> bounds = sharing.bounds(all.counted, "iterations on cubes of their own");
  result.metrics.push_back({"flop_rate", "flop/s", {all.counted / seconds}, all, bounds});
  result.metrics.push_back({"time", "s", {seconds}, all, bounds});
  result.metrics.push_back({"iterations", "count", {iterations}, {}});
  result.breakdown = breakdown(outcome, each.counted, context.ranks);

  const std::vector<double> u = cube.solution();
  const double wrong = error(cube.domain(), u, context.ranks);
  const double left = residual(cube.domain(), u, context.ranks);
  result.verification.push_back({"largest |u - exact u| / edge of the cube", wrong, error_tolerance});
  result.verification.push_back({"||b - A u|| / ||b||", left, residual_tolerance});
  result.verification.push_back({"nodes without exactly one rank", wrong_owners(cube.domain(), context.ranks), 0.0});
  Json::Object more{
      {"colours_used", static_cast<std::int64_t>(context.ranks.maximum(static_cast<double>(cube.stages())))},
      {"setup_seconds", made},
      {"working_set", working_set(params)},
      {"fill", context.ranks.maximum(cube.fill())},
      {"error", wrong},
      {"residual", left}};
  result.conditions.insert(result.conditions.end(), more.begin(), more.end());
  for (const auto& how :
       {sharing.conditions("layer"),
        part_seconds("layer", part_names, seconds_of_parts(outcome), layer_of_rank(grid_of(params)), context.ranks),
        cube.conditions()}) {
    result.conditions.insert(result.conditions.end(), how.begin(), how.end());
  }
  for (auto& check : largest_of_ranks(cube.checks(), context.ranks)) result.verification.push_back(std::move(check));
  result.software = {{"kernels", cube.kernels()}};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("geofem", measure, argc, argv); }
