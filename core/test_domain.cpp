#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <vector>

#include "core/domain.hpp"

namespace banzuke {
namespace {

struct Split {
  Triple whole;
  Triple grid;
  Layers layers{};
};

// Even and uneven splits, parts of one point, all 26 neighbours, and unequal layers across each axis.
std::array<Split, 9> splits() {
  return {{{{2, 2, 2}, {1, 1, 1}},
           {{2, 3, 5}, {2, 1, 1}},
           {{7, 5, 3}, {3, 2, 1}},
           {{3, 3, 3}, {3, 3, 3}},
           {{8, 7, 5}, {2, 3, 2}},
           {{4, 4, 9}, {1, 1, 5}},
           {{8, 3, 4}, {2, 1, 1}, {.axis = 0, .strips = {{0, 7}, {7, 8}}}},
           {{5, 9, 4}, {2, 3, 2}, {.axis = 1, .strips = {{0, 1}, {1, 7}, {7, 9}}}},
           {{4, 4, 9}, {2, 1, 3}, {.axis = 2, .strips = {{0, 2}, {2, 3}, {3, 9}}}}}};
}

std::vector<Domain> domains_of(const Split& split) {
  std::vector<Domain> out;
  out.reserve(static_cast<std::size_t>(product(split.grid)));
  for (int rank = 0; rank < product(split.grid); ++rank) out.emplace_back(split.whole, split.grid, rank, split.layers);
  return out;
}

std::int64_t global(const Triple& whole, const Triple& at) { return at[0] + whole[0] * (at[1] + whole[1] * at[2]); }

TEST(Domain, EveryPointBelongsToOneRank) {
  for (const auto& split : splits()) {
    std::vector<int> owners(static_cast<std::size_t>(product(split.whole)));
    for (const auto& domain : domains_of(split)) {
      for (std::int64_t point = 0; point < domain.own(); ++point) {
        const Triple at = domain.position(point);
        EXPECT_TRUE(domain.owns(at));
        EXPECT_EQ(domain.index(at), point);
        ++owners[global(split.whole, at)];
      }
    }
    EXPECT_EQ(owners, std::vector<int>(owners.size(), 1));
  }
}

TEST(Domain, HasTheLayersThatItIsGiven) {
  const Layers layers{.axis = 1, .strips = {{0, 1}, {1, 7}, {7, 9}}};
  EXPECT_EQ(Domain({5, 9, 4}, {2, 3, 2}, 0, layers).own(), 2 * 1 * 2);
  EXPECT_EQ(Domain({5, 9, 4}, {2, 3, 2}, 3, layers).own(), 3 * 6 * 2);
  EXPECT_EQ(Domain({5, 9, 4}, {2, 3, 2}, 3, layers).position(0), (Triple{2, 1, 0}));
}

// The data that a rank sends arrive where the other one expects them.
TEST(Domain, ExchangesThePointsAround) {
  for (const auto& split : splits()) {
    const auto domains = domains_of(split);
    for (int rank = 0; rank < std::ssize(domains); ++rank) {
      const Domain& domain = domains[rank];
      std::vector<std::int64_t> arrived;
      for (const auto& neighbour : domain.neighbours()) {
        std::int64_t count = 0;
        for (const auto& back : domains[neighbour.rank].neighbours()) {
          if (back.rank != rank) continue;
          for (const auto point : back.send) {
            arrived.push_back(global(split.whole, domains[neighbour.rank].position(point)));
            ++count;
          }
        }
        EXPECT_EQ(count, neighbour.receive);
      }
      ASSERT_EQ(static_cast<std::int64_t>(arrived.size()), domain.external());
      std::int64_t needed = 0;
      std::vector<bool> seen(arrived.size());
      for (std::int64_t point = 0; point < domain.own(); ++point) {
        const Triple at = domain.position(point);
        for (std::int64_t offset = 0; offset < 27; ++offset) {
          const Triple there{at[0] + offset % 3 - 1, at[1] + offset / 3 % 3 - 1, at[2] + offset / 9 - 1};
          bool inside = true;
          for (std::size_t d = 0; d < 3; ++d) inside = inside && there[d] >= 0 && there[d] < split.whole[d];
          if (!inside || domain.owns(there)) continue;
          const auto place = domain.index(there) - domain.own();
          ASSERT_TRUE(place >= 0 && place < domain.external());
          EXPECT_EQ(arrived[place], global(split.whole, there));
          if (!seen[place]) ++needed;
          seen[place] = true;
        }
      }
      EXPECT_EQ(needed, domain.external());
    }
  }
}

TEST(LayersOfRanks, AreAcrossTheAxisWithMostRanks) {
  EXPECT_EQ(dealt_axis({2, 1, 1}), 0);
  EXPECT_EQ(dealt_axis({2, 2, 1}), 1);
  EXPECT_EQ(dealt_axis({2, 2, 2}), 2);
  EXPECT_EQ(layer_of_rank({1, 1, 3}), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(layer_of_rank({2, 2, 1}), (std::vector<std::size_t>{0, 0, 1, 1}));
  EXPECT_EQ(layer_of_rank({2, 1, 1}), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(layer_of_rank({2, 3, 2}), (std::vector<std::size_t>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
}

// Every grid once, and none with another number of ranks.
TEST(Grids, AreAllFactorisations) {
  for (const std::int64_t ranks : {1, 7, 12}) {
    std::vector<Triple> grids;
    for_each_grid(ranks, [&](const Triple& grid) { grids.push_back(grid); });
    EXPECT_EQ(std::ssize(grids), ranks == 1 ? 1 : ranks == 7 ? 3 : 18);
    for (std::size_t i = 0; i < grids.size(); ++i) {
      EXPECT_EQ(product(grids[i]), ranks);
      for (std::size_t j = 0; j < i; ++j) EXPECT_NE(grids[i], grids[j]);
    }
  }
}

// Fast enough for the test's time limit.
TEST(Grids, OfAThousandMillionRanksAreFound) {
  int grids = 0;
  for_each_grid(1'000'000'000, [&](const Triple&) { ++grids; });
  EXPECT_EQ(grids, 55 * 55);  // of 2^9 and of 5^9
}

}  // namespace
}  // namespace banzuke
