#include <gtest/gtest.h>

#include "matrix.hpp"
#include "testing.hpp"

namespace banzuke::geofem {
namespace {

Crs cube(const Triple& nodes) { return graph_of(Domain(nodes, {1, 1, 1}, 0)); }

Crs graph(const std::vector<std::vector<std::int32_t>>& neighbours) {
  Crs out;
  out.rows = out.columns = static_cast<std::int64_t>(neighbours.size());
  for (const auto& some : neighbours) {
    out.column.insert(out.column.end(), some.begin(), some.end());
    out.start.push_back(static_cast<std::int64_t>(out.column.size()));
  }
  return out;
}

std::vector<Crs> graphs() {
  return {cube({2, 2, 2}),
          cube({2, 3, 5}),
          cube({7, 9, 11}),
          cube({16, 2, 8}),
          graph({}),
          graph({{}, {}, {}}),                        // no neighbours
          graph({{1}, {0}, {3, 4}, {2, 4}, {2, 3}}),  // two parts
          graph({{1, 2, 3, 4}, {0}, {0}, {0}, {0}})};
}

TEST(Ordering, HasNoNeighboursInAStage) {
  for (const Crs& one : graphs()) {
    EXPECT_TRUE(valid(one, reverse_cuthill_mckee(one)));
    for (const std::int64_t colours : {1, 2, 7, 8, 9, 30, 1000}) {
      EXPECT_TRUE(valid(one, multicolour(one, colours))) << colours;
      EXPECT_TRUE(valid(one, cyclic_cuthill_mckee(one, colours))) << colours;
    }
  }
}

TEST(Ordering, ABrokenOneIsSeen) {
  const Crs one = cube({4, 4, 4});
  const Ordering good = multicolour(one, 8);
  Ordering merged = good;
  merged.start.erase(merged.start.begin() + 3);
  EXPECT_FALSE(valid(one, merged));
  Ordering doubled = good;
  doubled.node[5] = doubled.node[6];
  EXPECT_FALSE(valid(one, doubled));
  Ordering swapped = good;
  std::swap(swapped.node.front(), swapped.node.back());
  EXPECT_FALSE(valid(one, swapped));
}

TEST(Multicolour, NeedsEightAndFillsThemEvenly) {
  const Crs one = cube({4, 6, 8});
  const Ordering eight = multicolour(one, 8);
  ASSERT_EQ(eight.stages(), 8);
  for (std::int64_t stage = 0; stage < 8; ++stage) EXPECT_EQ(eight.start[stage + 1] - eight.start[stage], 24);
  EXPECT_EQ(multicolour(one, 2).stages(), 8);
  EXPECT_GE(multicolour(one, 40).stages(), 40);
  EXPECT_EQ(multicolour(one, 1000).stages(), 192);  // one node for each
}

// The levels of a line are its single nodes, from one end.
TEST(ReverseCuthillMcKee, WalksALineBackwards) {
  const Ordering line = reverse_cuthill_mckee(graph({{1}, {0, 2}, {1, 3}, {2}}));
  EXPECT_EQ(line.node, (std::vector<std::int32_t>{3, 2, 1, 0}));
  EXPECT_EQ(line.stages(), 4);
}

// Every node but those of the last level has a neighbour in a later level.
TEST(ReverseCuthillMcKee, LevelsGrowFromTheLast) {
  const Crs one = cube({7, 9, 11});
  const Ordering levels = reverse_cuthill_mckee(one);
  const auto stage = stage_of_node(levels);
  EXPECT_EQ(levels.start.back() - levels.start[levels.stages() - 1], 1);
  for (std::int64_t node = 0; node < one.rows; ++node) {
    bool later = false;
    for (const auto other : one.columns_of(node)) later = later || stage[other] > stage[node];
    EXPECT_TRUE(later || stage[node] == levels.stages() - 1);
  }
}

TEST(CyclicCuthillMcKee, RaisesTheNumberOfColoursUntilTheyAreIndependent) {
  const Crs one = cube({7, 9, 11});
  EXPECT_EQ(cyclic_cuthill_mckee(one, 8).stages(), 8);
  EXPECT_EQ(cyclic_cuthill_mckee(one, 2).stages(), 8);
  EXPECT_EQ(cyclic_cuthill_mckee(one, 20).stages(), 20);
  EXPECT_EQ(cyclic_cuthill_mckee(one, 100000).stages(), reverse_cuthill_mckee(one).stages());
}

}  // namespace
}  // namespace banzuke::geofem
