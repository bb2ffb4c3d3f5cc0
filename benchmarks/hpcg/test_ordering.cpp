#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "grid.hpp"
#include "testing.hpp"

namespace banzuke::hpcg {
namespace {

std::vector<Crs> patterns() {
  std::vector<Crs> out;
  out.push_back(random_matrix(1, 0, false, 0, 1));
  out.push_back(random_matrix(7, 2, false, 3, 2));
  out.push_back(random_matrix(200, 0, false, 0, 3));  // only a diagonal: all rows in one stage
  out.push_back(random_matrix(301, 9, true, 40, 4));
  out.push_back(make_matrix(Grid({.nx = 16, .ny = 24, .nz = 16}, 0, 1)).a);
  return out;
}

TEST(Ordering, HasNoDependentRowsInOneStage) {
  for (const auto& a : patterns()) {
    for (const std::string ordering : {"levels", "colours"}) {
      EXPECT_EQ(conflicts(a, stages_of(a, ordering)), 0) << ordering << " of " << a.rows;
    }
  }
}

TEST(Ordering, ConflictsAreSeen) {
  const Crs a = patterns().back();
  auto stage = colours(a);
  std::ranges::replace(stage, 3, 4);
  EXPECT_GT(conflicts(a, stage), 0);
}

TEST(Ordering, LevelsKeepTheOrderOfDependentRows) {
  for (const auto& a : patterns()) {
    const auto level = dependency_levels(a);
    for (std::int64_t row = 0; row < a.rows; ++row) {
      for (const auto column : a.columns_of(row)) {
        if (column < row) {
          EXPECT_LT(level[column], level[row]);
        }
      }
    }
  }
}

// The stage is x + 2 y + 4 z for sweeps in the order of the points; with colours there are two in each direction.
TEST(Ordering, StagesOfTheStencilAreWhatTheoryTells) {
  const Crs a = patterns().back();
  const auto level = dependency_levels(a);
  EXPECT_EQ(*std::ranges::max_element(level), 15 + 2 * 23 + 4 * 15);
  const auto colour = colours(a);
  EXPECT_EQ(*std::ranges::max_element(colour), 7);
  EXPECT_EQ(colour[0], 7);  // the colour of the coarse grid's points is last
}

TEST(Layout, HoldsEachRowOnceInChunksOfOneStageAndThread) {
  for (const auto& a : patterns()) {
    for (const Parts& threads : {Parts(1), Parts(2), Parts(7), Parts({5.0, 1.0, 2.0})}) {
      const Layout layout(colours(a), threads);
      std::int64_t rows = 0;
      for (std::size_t place = 0; place < layout.row.size(); ++place) {
        if (layout.row[place] < 0) continue;
        ++rows;
        EXPECT_EQ(layout.place[layout.row[place]], place);
      }
      EXPECT_EQ(rows, a.rows);
      std::int64_t chunk = 0;
      for (const auto& first : layout.first) {
        for (std::int64_t stage = 0; stage < layout.stages(); ++stage) {
          EXPECT_EQ(first[stage], chunk);
          for (; chunk < first[stage + 1]; ++chunk) {
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
              const auto row = layout.row[chunk * lanes + lane];
              if (row >= 0) {
                EXPECT_EQ(layout.stage[row], stage);
              }
            }
          }
        }
      }
      EXPECT_EQ(chunk, layout.chunks());
      EXPECT_EQ(layout.place_of(static_cast<std::int32_t>(a.rows)), layout.chunks() * lanes);
    }
  }
}

}  // namespace
}  // namespace banzuke::hpcg
