// Transpositions on one rank, the layout of several, and whether the check detects errors.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <set>

#include "core/testing.hpp"
#include "layout.hpp"
#include "ptrans.hpp"

namespace banzuke::ptrans {
namespace {

Params params_of(std::int64_t n, std::int64_t nb) { return {.n = n, .nb = nb, .p = 1, .q = 1}; }

TEST(Ptrans, IsExactAtAwkwardSizes) {
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    for (const std::int64_t n : {1, 2, 7, 8, 9, 63, 64, 65, 200}) {
      for (const std::int64_t nb : {1, 7, 8, 64, 300}) {
        Ptrans ptrans(params_of(n, nb), alone());
        EXPECT_EQ(ptrans.wrong(0), 0) << n << ' ' << nb;
        ptrans.run();
        ptrans.run();
        EXPECT_EQ(ptrans.wrong(2), 0) << n << ' ' << nb << " on " << threads;
      }
    }
  }
}

TEST(Ptrans, TheCheckSeesOneWrongElementAndAMissingOrFurtherRound) {
  Ptrans ptrans(params_of(20, 8), alone());
  ptrans.run();
  EXPECT_GT(ptrans.wrong(0), 390);
  EXPECT_GT(ptrans.wrong(2), 390);
  *ptrans.first() += 1.0;
  EXPECT_EQ(ptrans.wrong(1), 1);
  *ptrans.first() = std::nan("");
  EXPECT_EQ(ptrans.wrong(1), 1);
}

// A matrix that is its own transpose could not show whether anything was transposed.
TEST(Elements, DependOnBothIndicesAndTheirOrder) {
  std::set<double> seen;
  for (std::int64_t i = 0; i < 30; ++i) {
    for (std::int64_t j = 0; j < 30; ++j) seen.insert(a_at(i, j));
  }
  EXPECT_GT(seen.size(), 890U);
  EXPECT_NE(a_at(3, 5), a_at(5, 3));
  EXPECT_NE(a_at(3, 5), c_at(3, 5));
}

TEST(Layout, RanksAgreeOnWhatTravels) {
  for (const auto& [p, q] : {std::pair{1, 1}, {2, 2}, {2, 3}, {3, 2}, {1, 5}, {4, 6}}) {
    for (const std::int64_t n : {1, 5, 64, 101}) {
      const std::int64_t nb = 8;
      std::vector<Layout> layouts;
      std::int64_t elements = 0;
      for (int rank = 0; rank < p * q; ++rank) {
        layouts.emplace_back(n, nb, p, q, rank);
        elements += layouts.back().rows.own() * layouts.back().columns.own();
      }
      EXPECT_EQ(elements, n * n);
      for (std::size_t from = 0; from < layouts.size(); ++from) {
        for (std::size_t to = 0; to < layouts.size(); ++to) {
          const auto& leaving = layouts[from].routes[to].leaving;
          const auto& arriving = layouts[to].routes[from].arriving;
          ASSERT_EQ(leaving.size(), arriving.size());
          for (std::size_t i = 0; i < leaving.size(); ++i) {
            EXPECT_EQ(leaving[i].packed, arriving[i].packed);
            EXPECT_EQ(leaving[i].rows, arriving[i].columns);
            EXPECT_EQ(leaving[i].columns, arriving[i].rows);
          }
          EXPECT_EQ(layouts[from].routes[to].sent, layouts[to].routes[from].received);
        }
      }
    }
  }
}

Params settled(Params params, int ranks) {
  problem(params, ranks);
  return params;
}

TEST(Problem, ChoosesTheGridThatIsLeftToIt) {
  const auto grid = [](std::int64_t p, std::int64_t q, int ranks) {
    const Params params = settled({.p = p, .q = q}, ranks);
    return std::pair(params.p, params.q);
  };
  EXPECT_EQ(grid(0, 0, 12), std::pair(std::int64_t{3}, std::int64_t{4}));
  EXPECT_EQ(grid(0, 0, 7), std::pair(std::int64_t{1}, std::int64_t{7}));
  EXPECT_EQ(grid(2, 0, 12), std::pair(std::int64_t{2}, std::int64_t{6}));
  EXPECT_EQ(grid(0, 2, 12), std::pair(std::int64_t{6}, std::int64_t{2}));
}

TEST(Problem, RefusesAGridOfOtherNumbersOfRanks) {
  for (const auto& [p, q] : {std::pair{5, 0}, {0, 24}, {24, 0}, {3, 3}, {1'000'000'000, 1'000'000'000}}) {
    try {
      settled({.p = p, .q = q}, 12);
      ADD_FAILURE() << p << " x " << q;
    } catch (const UsageError& error) {
      EXPECT_NE(error.remedy().find("p=3 q=4"), std::string::npos) << error.remedy();
    }
  }
}

TEST(Problem, HasBothMatricesAndTheirMessages) {
  const auto footprint = [](int ranks) {
    Params params{.n = 1000};
    return problem(params, ranks).footprint;
  };
  EXPECT_GE(footprint(1), 16e6);
  EXPECT_LE(footprint(1), 17e6);
  EXPECT_GE(footprint(4), 8e6);
}

TEST(Work, AgreesWithCountingByHand) {
  const Work alone = work(10, 0.0);
  EXPECT_EQ(alone.counted, 800.0);
  EXPECT_EQ(demanded(alone, "memory.bytes"), 2400.0);
  EXPECT_EQ(alone.demand.size(), 1);
  EXPECT_EQ(demanded(work(10, 400.0), "link.bytes"), 400.0);
}

}  // namespace
}  // namespace banzuke::ptrans
