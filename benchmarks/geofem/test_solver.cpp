#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/testing.hpp"
#include "core/thread_rates.hpp"
#include "deal.hpp"
#include "geofem.hpp"
#include "matrix.hpp"
#include "reference.hpp"
#include "testing.hpp"

namespace banzuke::geofem {
namespace {

Params on_one_rank(const Triple& cube, const std::string& ordering, const std::string& format) {
  return complete({.nx = cube[0], .ny = cube[1], .nz = cube[2], .ordering = ordering, .colours = 9, .format = format},
                  1);
}

TEST(Cube, FindsTheExactSolutionInAsManyIterationsAsThePlainLoops) {
  for (const Triple cube : {Triple{2, 2, 2}, Triple{2, 3, 5}, Triple{7, 9, 11}}) {
    const Domain domain(cube, {1, 1, 1}, 0);
    const Plain plain(domain);
    for (const std::string ordering : {"mc", "rcm", "cm-rcm"}) {
      const Ordering expected = order(graph_of(domain), ordering, 9);
      const auto iterations = plain.solve_all(stage_of_node(expected), tolerance);
      for (const std::string& format : formats()) {
        // Barriers of more threads than processors are slow.
        for (const int threads : cube[0] < 7 ? std::vector{1, 3} : std::vector{1, 2}) {
          omp_set_num_threads(threads);
          Cube solver(on_one_rank(cube, ordering, format), alone());
          EXPECT_EQ(solver.stages(), expected.stages());
          for (int again = 0; again < (threads > 2 ? 1 : 2); ++again) {
            const Outcome outcome = solver.solve(1000);
            EXPECT_NEAR(static_cast<double>(outcome.iterations.size()), static_cast<double>(iterations), 1.0);
            EXPECT_LE(outcome.residual, tolerance);
            const auto u = solver.solution();
            EXPECT_LE(error(solver.domain(), u, alone()), error_tolerance) << ordering << ' ' << format;
            EXPECT_LE(residual(solver.domain(), u, alone()), residual_tolerance) << ordering << ' ' << format;
          }
        }
      }
    }
  }
}

TEST(Cube, ThreadsMayHaveUnequalParts) {
  omp_set_num_threads(2);
  const auto iterations = Cube(on_one_rank({7, 9, 11}, "mc", "blocked"), alone()).solve(1000).iterations.size();
  share_by({0.3, 1.0});
  Cube solver(on_one_rank({7, 9, 11}, "mc", "blocked"), alone());
  EXPECT_NEAR(static_cast<double>(solver.solve(1000).iterations.size()), static_cast<double>(iterations), 1.0);
  EXPECT_LE(residual(solver.domain(), solver.solution(), alone()), residual_tolerance);
  share_by({});
}

TEST(Cube, SweepsAgain) {
  std::size_t once = 0;
  for (const std::int64_t sweeps : {1, 2, 3}) {
    omp_set_num_threads(2);
    Params params = on_one_rank({7, 9, 11}, "mc", formats().front());
    params.sweeps = sweeps;
    Cube solver(params, alone());
    const Outcome outcome = solver.solve(1000);
    if (sweeps == 1) once = outcome.iterations.size();
    if (sweeps == 2) {
      EXPECT_LT(static_cast<double>(outcome.iterations.size()), 0.8 * static_cast<double>(once));
    }
    EXPECT_LE(residual(solver.domain(), solver.solution(), alone()), residual_tolerance);
  }
}

TEST(Cube, StopsAtTheLimitAndTellsProgress) {
  omp_set_num_threads(2);
  Cube solver(on_one_rank({7, 9, 11}, "mc", formats().front()), alone());
  std::vector<double> told;
  const Outcome outcome = solver.solve(3, [&](std::int64_t iteration, double left) {
    told.push_back(left);
    EXPECT_EQ(iteration, static_cast<std::int64_t>(told.size()));
  });
  EXPECT_EQ(told.size(), 3);
  EXPECT_EQ(outcome.iterations.size(), 3);
  EXPECT_EQ(outcome.residual, told.back());
  EXPECT_GT(outcome.residual, tolerance);
  EXPECT_GT(residual(solver.domain(), solver.solution(), alone()), residual_tolerance);
}

// Eight nodes that are all neighbours have 64 blocks, 56 of them off the diagonal.
TEST(Work, AgreesWithCountingByHand) {
  Params params{.nx = 2, .ny = 2, .nz = 2, .px = 1, .py = 1, .pz = 1};
  EXPECT_EQ(work(params).counted, 18 * (64 + 56) + 8 * (30 + 36));
  EXPECT_EQ(demanded(work(params), "memory.bytes"), 76 * (64 + 56) + 8 * (144 + 336));
  EXPECT_EQ(demanded(work(params), "memory.loads"), 76 * (64 + 56) + 8 * (144 + 168));
  params.sweeps = 2;
  EXPECT_EQ(working_set(params), 76 * 64 + 8 * (72 + 5 * 24));
  EXPECT_EQ(work(params).counted, 18 * 2 * (64 + 56) + 8 * (60 + 36 + 6));
  // With two ranks of four nodes each, the preconditioner has 2 x 12 blocks.
  params.sweeps = 1;
  params.px = 2;
  EXPECT_EQ(work(params).counted, 18 * (64 + 24) + 8 * (30 + 36));
  // Inside a large cube there are 1020 flops and 4530 bytes per node.
  const Work large = work({.nx = 1000, .ny = 1000, .nz = 1000, .px = 1, .py = 1, .pz = 1});
  EXPECT_NEAR(large.counted / 1e9, 1020, 3);
  EXPECT_NEAR(demanded(large, "memory.bytes") / 1e9, 4530 - 24, 12);  // as for the reference, less what stays in cache
}

TEST(Hosts, GetWhatIsAroundTheirParts) {
  const Domain domain({4, 2, 2}, {2, 1, 1}, 0);
  EXPECT_EQ(bytes_from_other_hosts({.sweeps = 1}, domain, {.count = 2, .of_rank = {0, 1}}, 0), 8 * 3 * 4);
  EXPECT_EQ(bytes_from_other_hosts({.sweeps = 2}, domain, {.count = 2, .of_rank = {0, 1}}, 0), 2 * 8 * 3 * 4);
  EXPECT_EQ(bytes_from_other_hosts({.sweeps = 1}, domain, {.fullest = 2, .of_rank = {0, 0}}, 0), 0);
}

// With three of four planes the first rank receives as many nodes as with two: those of the other's lowest plane.
TEST(Hosts, GetWhatIsAroundUnequalParts) {
  const Params params{.nx = 2, .ny = 3, .nz = 9, .px = 1, .py = 1, .pz = 3, .deal = "5:1:3"};
  const Hosts hosts{.count = 3, .of_rank = {0, 1, 2}};
  for (const auto& [rank, planes] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{2, 1}}) {
    EXPECT_EQ(bytes_from_other_hosts(params, domain_of(params, rank), hosts, rank), 8 * 3 * 6 * planes);
  }
  // Hosts side by side along x receive what the layers along y have: 2 and 6 rows of three nodes, and those of a
  // corner.
  const Params sides{.nx = 4, .ny = 8, .nz = 3, .px = 2, .py = 2, .pz = 1, .deal = "1:3"};
  const Hosts beside{.count = 2, .of_rank = {0, 1, 0, 1}};
  EXPECT_EQ(bytes_from_other_hosts(sides, domain_of(sides, 0), beside, 0), 8 * 3 * (2 * 3 + 3));
  EXPECT_EQ(bytes_from_other_hosts(sides, domain_of(sides, 2), beside, 2), 8 * 3 * (6 * 3 + 3));
}

std::string refusal(const Params& params, int ranks) {
  try {
    complete(params, ranks);
  } catch (const UsageError& error) {
    return std::string(error.what()) + ". " + error.remedy();
  }
  return "";
}

TEST(Params, ChoosesAGrid) {
  const auto grid = [](const Params& params, int ranks) { return grid_of(complete(params, ranks)); };
  EXPECT_EQ(grid({}, 1), (Triple{1, 1, 1}));
  EXPECT_EQ(grid({}, 8), (Triple{2, 2, 2}));
  EXPECT_EQ(grid({.nx = 40, .ny = 40, .nz = 80}, 2), (Triple{1, 1, 2}));
  EXPECT_EQ(grid({.px = 2}, 4)[0], 2);
  EXPECT_EQ(grid({.nx = 2, .ny = 2, .nz = 5}, 5), (Triple{1, 1, 5}));
}

std::vector<std::int64_t> planes_of(const Params& params, int ranks) {
  std::vector<std::int64_t> planes;
  for (const Strip& strip : layers_of(complete(params, ranks)).strips) planes.push_back(strip.size());
  return planes;
}

TEST(Deal, FollowsTheSharesAcrossTheAxisWithMostRanks) {
  using Planes = std::vector<std::int64_t>;
  EXPECT_EQ(planes_of({.deal = "1:3"}, 2), (Planes{10, 30}));
  EXPECT_EQ(planes_of({.px = 2, .py = 3, .pz = 1, .deal = "2:1:1"}, 6), (Planes{20, 10, 10}));
  EXPECT_EQ(planes_of({.deal = "1:1000"}, 2), (Planes{1, 39}));  // each has a plane
  EXPECT_EQ(planes_of({.nz = 5, .px = 1, .py = 1, .pz = 5, .deal = "1:1:9:1:1"}, 5), (Planes{1, 1, 1, 1, 1}));
  for (const char* deal : {"equal", "rates"})
    EXPECT_EQ(planes_of({.nz = 41, .px = 1, .py = 1, .pz = 2, .deal = deal}, 2), (Planes{20, 21}));
  // Each rank is a layer with rates, and each share has a layer where ranks form such a grid, unless a grid is given.
  EXPECT_EQ(grid_of(complete({.deal = "rates"}, 8)), (Triple{8, 1, 1}));
  EXPECT_EQ(grid_of(complete({.nx = 5, .ny = 6, .deal = "rates"}, 8)), (Triple{1, 1, 8}));
  EXPECT_EQ(grid_of(complete({.px = 2, .deal = "rates"}, 8)), (Triple{2, 4, 1}));
  EXPECT_EQ(grid_of(complete({.deal = "1:3"}, 4)), (Triple{2, 2, 1}));
  EXPECT_EQ(grid_of(complete({.deal = "1:2:3:4"}, 8)), (Triple{4, 2, 1}));
  EXPECT_EQ(refusal({.deal = "1:3"}, 3), "deal: 1:3 gives 2 shares to 3 layers of ranks. Nearest: deal=rates");
}

TEST(Deal, DeterminesTheMemoryOfTheLargestPart) {
  for (const auto& [deal, nodes] : {std::pair{"equal", 32000.0}, std::pair{"1:3", 48000.0}}) {
    Params params{.deal = deal};
    const Problem largest = problem(params, 2);
    EXPECT_EQ(largest.footprint, memory(params, nodes).footprint);
    EXPECT_EQ(largest.device_footprint, memory(params, nodes).device_footprint);
  }
}

TEST(Deal, RefusesWhatTheGridCannotShare) {
  EXPECT_EQ(refusal({.deal = "1:2:3"}, 2), "deal: 1:2:3 gives 3 shares to 2 layers of ranks. Nearest: deal=rates");
  EXPECT_EQ(refusal({.px = 2, .py = 2, .pz = 1, .deal = "1:1:1:3"}, 4),
            "deal: 1:1:1:3 gives 4 shares to 2 layers of ranks. Nearest: deal=rates or px=1 py=1 pz=4");
  EXPECT_EQ(refusal({.deal = "rates"}, 1), "deal: one rank has nobody to share the nodes with. Leave out deal");
  EXPECT_EQ(refusal({.deal = "1:0"}, 2),
            "deal: 1:0 is neither equal nor rates, and no share for each layer of ranks, as 1:3 would be: '0' is no "
            "positive number. Nearest: deal=rates");
  // More ranks than planes.
  EXPECT_NE(refusal({.nz = 3, .px = 1, .py = 1, .pz = 4, .deal = "rates"}, 4).find("40 x 40 x 3, a node for each"),
            std::string::npos);
  // Equal parts could be numbered, these cannot.
  EXPECT_EQ(refusal({.nx = 1000, .ny = 1000, .nz = 1400, .px = 1, .py = 1, .pz = 2}, 2), "");
  EXPECT_NE(refusal({.nx = 1000, .ny = 1000, .nz = 1400, .px = 1, .py = 1, .pz = 2, .deal = "1:3"}, 2)
                .find("a rank would have 1050000000 nodes"),
            std::string::npos);
}

TEST(Params, NamesWhatIsTakenInstead) {
  const auto nearest = [](const Params& params, int ranks) {
    try {
      complete(params, ranks);
    } catch (const UsageError& error) {
      return error.remedy();
    }
    return std::string();
  };
  EXPECT_EQ(nearest({.nx = 2, .ny = 3, .nz = 5}, 7), "Nearest: 6 ranks");
  EXPECT_EQ(nearest({.px = 2, .py = 2, .pz = 1}, 8), "Nearest: 4 ranks or px=0 py=0 pz=0");
  EXPECT_EQ(nearest({.nx = 4, .px = 8, .py = 1, .pz = 1}, 8), "Nearest: px=0 py=0 pz=0");
}

TEST(Params, AllowMessagesFromDeviceMemoryOnDevicesAlone) {
  Params params{.messages = "device"};
  if (memory({}, 1.0).device_footprint > 0.0) {
    EXPECT_NO_THROW(problem(params, 2));
  } else {
    EXPECT_THROW(problem(params, 2), UsageError);
  }
}

TEST(Params, SaysWhatIsAllowed) {
  EXPECT_NE(refusal({.nx = 2, .ny = 3, .nz = 5}, 7).find("2 x 3 x 5"), std::string::npos);
  EXPECT_NE(refusal({.px = 3}, 4).find("3 x 0 x 0"), std::string::npos);
  EXPECT_NE(refusal({.px = 1, .py = 1, .pz = 1}, 2).find("2 ranks"), std::string::npos);
  EXPECT_NE(refusal({.nx = 4000, .ny = 4000, .nz = 4000}, 8).find("more ranks"), std::string::npos);
  EXPECT_EQ(refusal({.nx = 4000, .ny = 4000, .nz = 4000}, 128), "");
}

}  // namespace
}  // namespace banzuke::geofem
