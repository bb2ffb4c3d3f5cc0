#include <algorithm>
#include <array>
#include <string_view>

#include "deal.hpp"
#include "phases.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::hpcg;

// Groups the sets into intervals: seconds of each part in each interval, as means over the ranks.
class Times {
 public:
  Times(const Outcome& outcome, const Communicator& ranks)
      : sets_(outcome.profiles.size()), seconds_(std::min(most, sets_) * parts) {
    for (std::size_t set = 0; set < sets_; ++set) {
      const std::size_t interval = set * intervals() / sets_;
      for (std::size_t part = 0; part < parts; ++part) {
        seconds_[interval * parts + part] += outcome.profiles[set][part] / ranks.size();
      }
    }
    ranks.sum(seconds_);
  }

  std::size_t intervals() const { return seconds_.size() / parts; }
  // Returns the index of the first set after an interval.
  std::size_t end(std::size_t interval) const { return ((interval + 1) * sets_ + intervals() - 1) / intervals(); }
  double share(std::size_t interval) const { return static_cast<double>(end(interval)) / static_cast<double>(sets_); }
  double of(Part part, std::size_t interval) const {
    return seconds_[interval * parts + static_cast<std::size_t>(part)];
  }
  double of(Part part) const {
    double sum = 0.0;
    for (std::size_t interval = 0; interval < intervals(); ++interval) sum += of(part, interval);
    return sum;
  }

 private:
  static constexpr std::size_t most = 60;
  static constexpr std::size_t parts = std::tuple_size_v<Profile::Seconds>;

  std::size_t sets_;
  std::vector<double> seconds_;
};

constexpr std::array<std::string_view, 6> phase_names{"mg", "spmv", "dot", "waxpby", "halo_wait", "allreduce"};

// Returns the index of the phase that a part belongs to.
constexpr std::size_t phase_of(std::size_t part) {
  switch (static_cast<Part>(part)) {
    case Part::mg:
      return 0;
    case Part::spmv:
      return 1;
    case Part::dot:
      return 2;
    case Part::waxpby:
      return 3;
    case Part::mg_halo:
    case Part::spmv_halo:
      return 4;
    case Part::allreduce:
      return 5;
  }
  return phase_names.size();
}

Breakdown breakdown(const Times& times, double flops_of_set) {
  Breakdown out{.along = "share of the sets", .ends = {}, .flops = {}, .seconds = {}};
  for (const auto name : phase_names) out.seconds.emplace_back(name, std::vector<double>(times.intervals()));
  std::size_t first = 0;
  for (std::size_t interval = 0; interval < times.intervals(); ++interval) {
    out.ends.push_back(times.share(interval));
    out.flops.push_back(flops_of_set * static_cast<double>(times.end(interval) - first));
    first = times.end(interval);
    for (std::size_t part = 0; part < std::tuple_size_v<Profile::Seconds>; ++part) {
      out.seconds[phase_of(part)].second[interval] += times.of(static_cast<Part>(part), interval);
    }
  }
  return out;
}

// Returns where this rank's time went in all sets, by phase.
std::array<double, phase_names.size()> seconds_of_phases(const Outcome& outcome) {
  std::array<double, phase_names.size()> seconds{};
  for (const auto& profile : outcome.profiles) {
    for (std::size_t part = 0; part < profile.size(); ++part) seconds[phase_of(part)] += profile[part];
  }
  return seconds;
}

// Adds how the layers of ranks shared the planes, if they did, and a check that they have all points.
void add_shares(const Sharing& sharing, const Grid& grid, const Outcome& outcome, const Communicator& ranks,
                Result& result) {
  if (sharing.rates.empty()) return;
  const std::array<const char*, 3> names{"x", "y", "z"};
  auto& all = result.conditions;
  for (const auto& how : {sharing.conditions("layer"), part_seconds("layer", phase_names, seconds_of_phases(outcome),
                                                                    layer_of_rank(grid.procs), ranks)}) {
    all.insert(all.end(), how.begin(), how.end());
  }
  all.emplace_back("layer_axis", names[dealt_axis(grid.procs)]);
  result.verification.push_back({"points without exactly one rank", wrong_owners(grid.domain(), ranks), 0.0});
}

// Returns the checks of the official code, and those by the reference's error.
std::vector<Verification> checks_of(const Outcome& outcome) {
  const Tests& tests = outcome.tests;
  const auto [smallest, largest] = std::ranges::minmax_element(outcome.reductions);
  return {{"CG iterations with a scaled diagonal, no preconditioner", static_cast<double>(tests.plain), 12.0},
          {"CG iterations with a scaled diagonal, preconditioned", static_cast<double>(tests.preconditioned), 2.0},
          {"departure from symmetry, SpMV", tests.spmv.official, 1.0},
          {"departure from symmetry, MG", tests.mg.official, 1.0},
          {"departure from symmetry, SpMV, norms not squared", tests.spmv.by_norms, 1.0},
          {"departure from symmetry, MG, norms not squared", tests.mg.by_norms, 1.0},
          {"residual reduction over the reference's", *largest / outcome.reference.reduction(), 1.0 + 1e-6},
          {"spread of the sets' final residuals over their mean", (*largest - *smallest) / outcome.mean(), 1e-3},
          {"variance of the sets' final residuals", outcome.variance(), 1e-6},
          {"error of the solution over the reference's", outcome.error / outcome.reference_error, 2.0}};
}

// Returns the work of all sets.
Work work_of(const Grid& grid, std::int64_t iterations, double sets, const Communicator& ranks) {
  const Flops set = flops(grid.whole(), iterations);
  const Traffic least = traffic(grid.whole(), iterations);
  Work all{.counted = sets * set.total(),
           .demand = {{"flops.fp64", sets * set.total()},
                      {"memory.bytes", sets * (least.loads + least.stores)},
                      {"memory.loads", sets * least.loads}}};
  const Hosts hosts = hosts_of(ranks);
  if (hosts.count > 1) {
    const double sums = 8.0 * static_cast<double>(3 * iterations + 1);
    const double received = busiest_host(ranks, hosts, bytes_from_other_hosts(grid, iterations, hosts)) + sums;
    all.demand.push_back({.resource = "link.bytes", .amount = sets * received, .busiest = "host"});
  }
  return all;
}

// Returns the shortest and the longest time that a rank spent in global sums.
std::array<double, 2> allreduce_seconds(const Outcome& outcome, const Communicator& ranks) {
  double own = 0.0;
  for (const auto& profile : outcome.profiles) own += profile[static_cast<std::size_t>(Part::allreduce)];
  std::array<double, 2> extremes{-own, own};
  ranks.maximum(extremes);
  return {-extremes[0], extremes[1]};
}

Result measure(const Params& asked, const Context& context) {
  const Communicator& ranks = context.ranks;
  Params params = asked;
  const Sharing sharing = share_planes(params, ranks);
  const Grid grid(params, ranks.rank(), ranks.size());
  const Extent whole = grid.whole();
  const Outcome outcome = run_phases(params, grid, context);
  const Times times(outcome, ranks);

  const std::int64_t iterations = outcome.iterations;
  const auto sets = static_cast<double>(outcome.set_seconds.size());
  const Flops set = flops(whole, iterations);
  const Work all = work_of(grid, iterations, sets, ranks);
  const double timed = outcome.timed();
  // As in the official rating: only the iterations that the reference needs are counted, and each set is charged a
  // tenth of the set-up time.
  const double counted =
      all.counted * static_cast<double>(outcome.reference.iterations) / static_cast<double>(iterations);
  const double charged = sets * (outcome.setup_seconds + outcome.optimization_seconds) / 10.0;
  const double mg = times.of(Part::mg) + times.of(Part::mg_halo);
  const double spmv = times.of(Part::spmv) + times.of(Part::spmv_halo);
  const double dot = times.of(Part::dot) + times.of(Part::allreduce);
  const double waxpby = times.of(Part::waxpby);
  const double allreduce = times.of(Part::allreduce);
  const auto [least_allreduce, most_allreduce] = allreduce_seconds(outcome, ranks);
  std::vector<double> memory{outcome.memory_bytes, outcome.matrix_bytes};
  ranks.sum(memory);

  Result result;
  const std::vector<Bound> bounds = sharing.bounds(all.counted, "iterations on boxes of their own");
  result.metrics = {{"flop_rate", "flop/s", {counted / (timed + charged)}, all, bounds},
                    {"raw_flop_rate", "flop/s", {all.counted / timed}, all, bounds},
                    {"spmv_flop_rate", "flop/s", {sets * set.spmv / spmv}, {.counted = sets * set.spmv}},
                    {"mg_flop_rate", "flop/s", {sets * set.mg / mg}, {.counted = sets * set.mg}},
                    {"dot_flop_rate", "flop/s", {sets * set.dot / dot}, {.counted = sets * set.dot}},
                    {"waxpby_flop_rate", "flop/s", {sets * set.waxpby / waxpby}, {.counted = sets * set.waxpby}}};
  result.breakdown = breakdown(times, set.total());
  result.verification = checks_of(outcome);
  result.verification.insert(result.verification.end(), outcome.checks.begin(), outcome.checks.end());
  result.conditions = outcome.disturbance;
  // Only the sets, as in the rating, without the time between them.
  for (auto& [name, value] : result.conditions) {
    if (name == "timed_seconds") value = timed;
  }
  const auto add = [&](const char* name, double value) { result.conditions.emplace_back(name, value); };
  add("setup_seconds", outcome.setup_seconds);
  add("optimization_seconds", outcome.optimization_seconds);
  add("reference_iterations", static_cast<double>(outcome.reference.iterations));
  add("optimized_iterations", static_cast<double>(iterations));
  add("sets", sets);
  add("reference_cg_seconds", outcome.reference_seconds);
  add("reference_spmv_mg_seconds", outcome.reference_calls_seconds);
  add("seconds_ddot", dot);
  add("seconds_waxpby", waxpby);
  add("seconds_spmv", spmv);
  add("seconds_mg", mg);
  add("seconds_allreduce_min", least_allreduce);
  add("seconds_allreduce_max", most_allreduce);
  add("seconds_allreduce_mean", allreduce);
  add("flops_ddot", sets * set.dot);
  add("flops_waxpby", sets * set.waxpby);
  add("flops_spmv", sets * set.spmv);
  add("flops_mg", sets * set.mg);
  add("reference_residual_reduction", outcome.reference.reduction());
  add("final_residual_mean", outcome.mean());
  add("final_residual_variance", outcome.variance());
  add("symmetry_spmv", outcome.tests.spmv.official);
  add("symmetry_mg", outcome.tests.mg.official);
  add("memory_bytes", memory[0]);
  add("matrix_bytes", memory[1]);
  constexpr double vectors = 7;  // of the finest level: three of CG, three of the multigrid, the diagonal
  add("working_set", memory[1] + 8.0 * vectors * whole.points());
  add("stages", static_cast<double>(outcome.stages));
  add("huge_page_fraction", outcome.huge_pages);
  result.conditions.insert(result.conditions.end(), outcome.conditions.begin(), outcome.conditions.end());
  add_shares(sharing, grid, outcome, ranks, result);
  result.software = {{"kernels", outcome.kernels}};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("hpcg", measure, argc, argv); }
