#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "families.hpp"
#include "statistics.hpp"

namespace banzuke::spmv {
namespace {

TEST(Statistics, AreCountedByHand) {
  //  . 1 . . 2
  //  . . . . .
  //  3 . . . .
  //  4 5 6 . 7
  const Crs matrix{.rows = 4,
                   .columns = 5,
                   .start = {0, 2, 2, 3, 7},
                   .column = {1, 4, 0, 0, 1, 2, 4},
                   .value = {1, 2, 3, 4, 5, 6, 7}};
  const Statistics all = statistics(matrix);
  EXPECT_EQ(all.rows, 4);
  EXPECT_EQ(all.columns, 5);
  EXPECT_EQ(all.nonzeros, 7);
  EXPECT_EQ(all.row_max, 4);
  EXPECT_EQ(all.empty_rows, 1);
  EXPECT_EQ(all.bandwidth, 4);
  EXPECT_DOUBLE_EQ(all.row_mean, 1.75);
  EXPECT_DOUBLE_EQ(all.row_cv, std::sqrt((0.0625 + 3.0625 + 0.5625 + 5.0625) / 4) / 1.75);
}

TEST(Statistics, CountLinesOfXThatACacheMustLoad) {
  const std::vector<std::int32_t> there{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};  // five lines of two elements
  EXPECT_EQ(least_loads(there, 2, 5), 0);
  EXPECT_EQ(least_loads(there, 2, 3), 2);
  EXPECT_EQ(least_loads(there, 2, 1), 4)
      << "the first window has four lines, the next two: the last of these and one more";
  const std::vector<std::int32_t> again{0, 1, 0, 1, 0, 1, 8, 9, 8, 9};
  EXPECT_EQ(least_loads(again, 2, 1), 1);
  EXPECT_EQ(least_loads({}, 2, 1), 0);
}

TEST(Statistics, TellMatricesThatGatherFromThoseThatDoNot) {
  const auto lines = [](const char* family) { return statistics(generate(family, 2'000'000)).x_lines; };
  EXPECT_EQ(lines("dense"), 0.0);
  EXPECT_LT(lines("stencil-5"), 0.03);
  EXPECT_GT(lines("p1-triangles-random"), 0.05);
}

TEST(Statistics, TellABandBelowTheDiagonal) {
  const Crs matrix{.rows = 4, .columns = 4, .start = {0, 1, 1, 1, 3}, .column = {1, 1, 2}, .value = {1, 1, 1}};
  EXPECT_EQ(statistics(matrix).bandwidth, 2);
}

TEST(Statistics, OfNothingAreZero) {
  const Statistics nothing = statistics(Crs{});
  EXPECT_EQ(nothing.rows, 0);
  EXPECT_EQ(nothing.row_mean, 0.0);
  EXPECT_EQ(nothing.row_cv, 0.0);

  const Statistics empty = statistics({.rows = 3, .columns = 2, .start = {0, 0, 0, 0}, .column = {}, .value = {}});
  EXPECT_EQ(empty.rows, 3);
  EXPECT_EQ(empty.columns, 2);
  EXPECT_EQ(empty.empty_rows, 3);
  EXPECT_EQ(empty.row_max, 0);
  EXPECT_EQ(empty.bandwidth, 0);
  EXPECT_EQ(empty.row_cv, 0.0);
}

}  // namespace
}  // namespace banzuke::spmv
