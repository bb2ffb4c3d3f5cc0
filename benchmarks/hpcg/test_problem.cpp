#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/parameters.hpp"
#include "grid.hpp"
#include "reference.hpp"

namespace banzuke::hpcg {
namespace {

// Returns the grid that ComputeOptimalShapeXYZ of HPCG 3.1 chooses, by trying all grids. The exponents of the prime
// factors count up like the digits of a number, that of the smallest prime first, with x in the outer loop and y in the
// inner one; the first grid with the least surface is kept.
Triple official(std::int64_t ranks) {
  std::vector<std::int64_t> factors;  // ascending
  for (std::int64_t factor = 2, rest = ranks; rest > 1; ++factor) {
    for (; rest % factor == 0; rest /= factor) factors.push_back(factor);
  }
  if (factors.empty() || factors.front() == factors.back()) {
    Triple grid{1, 1, 1};
    const std::size_t third = factors.size() / 3;
    const std::size_t left = factors.size() % 3;
    for (std::size_t i = 0; i < third + (left >= 1 ? 1 : 0); ++i) grid[0] *= factors[0];
    for (std::size_t i = 0; i < third + (left >= 2 ? 1 : 0); ++i) grid[1] *= factors[0];
    for (std::size_t i = 0; i < third; ++i) grid[2] *= factors[0];
    return grid;
  }
  if (factors.size() == 2) return {factors[0], factors[1], 1};
  if (factors.size() == 3 && factors[0] == factors[1]) return {factors[0], factors[2], factors[0]};
  if (factors.size() == 3) return {factors[0], factors[1], factors[2]};
  const auto digits = [&](std::int64_t side) {  // the exponent of the largest prime is the first digit
    std::vector<int> out;
    for (std::int64_t prime = ranks; prime > 1; --prime) {
      if (!std::ranges::binary_search(factors, prime)) continue;
      out.push_back(0);
      for (; side % prime == 0; side /= prime) ++out.back();
    }
    return out;
  };
  std::vector<std::tuple<std::int64_t, std::vector<int>, std::vector<int>, Triple>> tried;
  for (std::int64_t x = 2; x <= ranks; ++x) {
    for (std::int64_t y = 2; ranks % x == 0 && y <= ranks / x; ++y) {
      const std::int64_t z = ranks / x / y;
      if (ranks / x % y == 0) tried.emplace_back(x * y + y * z + z * x, digits(x), digits(y), Triple{x, y, z});
    }
  }
  return std::get<3>(*std::ranges::min_element(tried));
}

TEST(ProcessGrid, IsHpcgsForEveryNumberOfRanks) {
  for (std::int64_t ranks = 1; ranks <= 1000; ++ranks) {
    EXPECT_EQ(process_grid(ranks, {0, 0, 0}), official(ranks)) << ranks;
  }
}

// The expected values were printed by HPCG 3.1.
TEST(ProcessGrid, DoesNotDependOnTheBox) {
  EXPECT_EQ(Grid({.nx = 56, .ny = 72, .nz = 40}, 0, 2).procs, (Triple{2, 1, 1}));
  EXPECT_EQ(Grid({.nx = 56, .ny = 72, .nz = 40}, 0, 2).whole().nonzeros(), 8'434'168);
  EXPECT_EQ(Grid({.nx = 56, .ny = 72, .nz = 40}, 0, 4).procs, (Triple{2, 2, 1}));
  EXPECT_EQ(Grid({.nx = 16, .ny = 24, .nz = 48}, 0, 8).procs, (Triple{2, 2, 2}));
  EXPECT_EQ(Grid({.nx = 16, .ny = 16, .nz = 32}, 0, 12).procs, (Triple{2, 3, 2}));
  EXPECT_EQ(Grid({.nx = 16, .ny = 16, .nz = 32}, 0, 24).procs, (Triple{2, 4, 3}));
}

TEST(ProcessGrid, KeepsWhatIsGiven) {
  EXPECT_EQ(process_grid(12, {0, 0, 3}), (Triple{2, 2, 3}));
  EXPECT_EQ(process_grid(12, {1, 0, 0}), (Triple{1, 4, 3}));
  EXPECT_EQ(process_grid(12, {1, 12, 1}), (Triple{1, 12, 1}));
  EXPECT_EQ(process_grid(12, {5, 0, 0}), (Triple{12, 1, 1}));  // which problem() refuses
}

TEST(Matrix, HasTheNonzerosOfTheWholeGridOnAllRanksTogether) {
  const Params params{.nx = 16, .ny = 24, .nz = 16, .px = 3, .py = 2, .pz = 1};
  double nonzeros = 0.0;
  for (int rank = 0; rank < 6; ++rank) {
    const Matrix matrix = make_matrix(Grid(params, rank, 6));
    nonzeros += static_cast<double>(matrix.a.nonzeros());
    std::int64_t external = 0;
    for (const auto& neighbour : matrix.neighbours) external += neighbour.receive;
    EXPECT_EQ(matrix.a.columns, matrix.a.rows + external);
    const auto b = right_side(matrix);
    for (std::int64_t row = 0; row < matrix.a.rows; ++row) {
      const auto columns = matrix.a.columns_of(row);
      EXPECT_TRUE(std::ranges::is_sorted(columns));
      double sum = 0.0;
      for (const double value : matrix.a.values_of(row)) sum += value;
      EXPECT_EQ(sum, b[row]);  // A times the vector of ones
    }
  }
  EXPECT_EQ(nonzeros, Grid(params, 0, 6).whole().nonzeros());
}

TEST(Matrix, CoarsePointsAreEverySecond) {
  const auto rows = fine_rows(Grid({.nx = 16, .ny = 24, .nz = 32}, 0, 1));
  EXPECT_EQ(rows.size(), 8U * 12U * 16U);
  EXPECT_EQ(rows[1], 2);
  EXPECT_EQ(rows[8], 2 * 16);
  EXPECT_EQ(rows.back(), 14 + 16 * (22 + 24 * 30));
}

// Counted by hand, for one iteration.
TEST(Hosts, GetWhatIsAroundTheirBoxes) {
  const Grid grid({.nx = 16, .ny = 16, .nz = 16, .px = 2, .py = 1, .pz = 1}, 0, 2);
  // The product and its first call, residual and smoothing on the finest level; residual and smoothing on two coarser
  // ones.
  const double rows = 4 * 16 * 16 + 2 * 8 * 8 + 2 * 4 * 4;
  EXPECT_EQ(bytes_from_other_hosts(grid, 1, {.count = 2, .of_rank = {0, 1}}), 8 * rows);
  EXPECT_EQ(bytes_from_other_hosts(grid, 1, {.fullest = 2, .of_rank = {0, 0}}), 0);
}

Triple box(const Params& params, int rank, int ranks) { return Grid(params, rank, ranks).size; }

// The planes of all layers, each from its first rank.
std::vector<std::int64_t> planes(const Params& params, int ranks) {
  std::vector<std::int64_t> out;
  for (const Strip& strip : Grid(params, 0, ranks).layers.strips) out.push_back(strip.size());
  return out;
}

TEST(Deal, SharesThePlanesOfEqualBoxesInMultiplesOfEight) {
  using Planes = std::vector<std::int64_t>;
  const Params along_z{.nz = 40, .px = 1, .py = 1, .pz = 2, .deal = "1:3"};
  EXPECT_EQ(planes(along_z, 2), (Planes{16, 64}));  // 2.5 and 7.5 units
  EXPECT_EQ(box(along_z, 1, 2), (Triple{16, 16, 64}));
  EXPECT_EQ(Grid(along_z, 1, 2).whole().points(), 2 * 16 * 16 * 40);
  EXPECT_EQ(planes({.nx = 32, .deal = "3:1"}, 2), (Planes{48, 16}));  // across x, as the grid is 2 x 1 x 1
  EXPECT_EQ(planes({.ny = 32, .deal = "3:1"}, 4), (Planes{48, 16}));  // across y, as the grid is 2 x 2 x 1
  EXPECT_EQ(box({.ny = 32, .deal = "3:1"}, 1, 4), (Triple{16, 48, 16}));
  EXPECT_EQ(box({.ny = 32, .deal = "3:1"}, 2, 4), (Triple{16, 16, 16}));
  for (const char* deal : {"equal", "rates"}) EXPECT_TRUE(planes({.nz = 40, .deal = deal}, 2).empty());
}

TEST(Deal, IsCoarsenedWithTheBoxes) {
  const Params params{.nz = 32, .px = 1, .py = 1, .pz = 2, .deal = "1:3"};
  Grid grid(params, 1, 2);
  for (int level = 0; level < levels; ++level, grid = grid.coarser()) {
    EXPECT_EQ(grid.layers.strips, (std::vector<Strip>{{0, 16 >> level}, {16 >> level, 64 >> level}}));
    EXPECT_EQ(grid.domain().own(), grid.points());
    EXPECT_EQ(grid.domain().position(0), (Triple{0, 0, 16 >> level}));
    EXPECT_EQ(grid.whole().z, 64 >> level);
  }
}

TEST(Deal, KeepsTheRulesForABox) {
  const auto allowed = [](const Triple& box, std::size_t axis) {
    const Limits limits = planes_allowed(box, axis);
    return std::pair{limits.least, limits.most};
  };
  EXPECT_EQ(allowed({16, 16, 64}, 2), (std::pair<std::int64_t, std::int64_t>{16, 128}));
  EXPECT_EQ(allowed({64, 16, 200}, 0), (std::pair<std::int64_t, std::int64_t>{32, 128}));         // 200 / 8, in eights
  EXPECT_EQ(allowed({1000, 1000, 1000}, 1), (std::pair<std::int64_t, std::int64_t>{128, 2000}));  // 2e9 points
  Params params{.nz = 32, .px = 1, .py = 1, .pz = 2, .deal = "1:20"};
  try {
    problem(params, 2);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "deal: 1:20 gives the layers of ranks 0:64 planes, but HPCG's rules allow each of these boxes 16 to 128");
    EXPECT_EQ(error.remedy(), "Nearest: deal=16:48");
  }
}

TEST(Deal, DeterminesTheMemoryOfTheLargestBox) {
  Params largest{.nz = 48};
  Params unequal{.nz = 32, .px = 1, .py = 1, .pz = 2, .deal = "1:3"};
  const Problem needed = problem(unequal, 2);
  EXPECT_EQ(needed.footprint, problem(largest, 2).footprint);
  EXPECT_EQ(needed.device_footprint, problem(largest, 2).device_footprint);
}

TEST(Flops, AreCountedAsOfficially) {
  const Extent whole{16, 16, 16};
  const Flops one = flops(whole, 1);
  EXPECT_EQ(one.dot, 4 * 2 * 4096);
  EXPECT_EQ(one.waxpby, one.dot);
  EXPECT_EQ(one.spmv, 2 * 2 * 46.0 * 46 * 46);
  EXPECT_EQ(one.mg, 10 * (46.0 * 46 * 46 + 22.0 * 22 * 22 + 10.0 * 10 * 10) + 4 * (4.0 * 4 * 4));
  // About 372 per point and iteration, as hpcg.hpp says.
  const Extent large{1024, 1024, 1024};
  EXPECT_NEAR(flops(large, 50).total() / 50.0 / large.points(), 372.0, 4.0);
}

TEST(Traffic, IsLessThanFivePassesAndAtLeastTheProductAndTwo) {
  const Extent whole{104, 104, 104};
  const double pass = entry_bytes() * whole.nonzeros();
  const auto [loads, stores] = traffic(whole, 1);
  EXPECT_GT(loads + stores, (2.0 + 2.0 * 8.0 / 7.0) * pass);
  EXPECT_LT(loads + stores, (2.0 + 5.0 * 8.0 / 7.0) * pass);
  // Only vectors are written, in a third of their uses.
  EXPECT_GT(stores, 0.02 * loads);
  EXPECT_LT(stores, 0.2 * loads);
}

}  // namespace
}  // namespace banzuke::hpcg
