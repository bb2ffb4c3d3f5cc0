#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "blocks.hpp"

namespace banzuke::dgemm {
namespace {

struct Group {
  double rate = 1.0;                                           // elements per second
  double slow_from = std::numeric_limits<double>::infinity();  // seconds, when it has a tenth of its rate
  double free_at = 0.0;
  double busy = 0.0;
  bool finished = false;
  std::vector<Block> blocks{};

  std::int64_t elements() const {
    std::int64_t sum = 0;
    for (const Block& block : blocks) sum += block.elements();
    return sum;
  }

  double end_of(const Block& block) const {
    const double end = free_at + static_cast<double>(block.elements()) / rate;
    return end > slow_from ? end + 9.0 * (end - std::max(free_at, slow_from)) : end;
  }
};

struct Shape {
  std::int64_t m;
  std::int64_t n;
  bool whole_columns = false;
};

// Simulates a call: whoever is free first takes the next block. Returns the time when all are done.
double compute(std::vector<Group>& groups, const Shape& shape) {
  std::vector<Counter> next(groups.size() + 1);
  std::vector<std::atomic<double>> rates(groups.size());
  std::vector<double> expected;
  expected.reserve(groups.size());
  for (const Group& group : groups) expected.push_back(group.rate);
  for (std::size_t group = 0; group < groups.size(); ++group) rates[group] = expected[group];
  const std::vector<double> weights(groups.size(), 1.0);
  const Blocks blocks(shape.m, shape.n, next, rates, forecast(expected, weights), shape.whole_columns);
  while (!std::ranges::all_of(groups, &Group::finished)) {
    const auto when = [](const Group& group) {
      return group.finished ? std::numeric_limits<double>::infinity() : group.free_at;
    };
    Group& first = *std::ranges::min_element(groups, {}, when);
    const auto index = static_cast<std::size_t>(&first - groups.data());
    const Block block = blocks.take(index);
    first.finished = block.elements() == 0;
    if (first.finished) continue;
    const double end = first.end_of(block);
    first.busy += end - first.free_at;
    first.free_at = end;
    first.blocks.push_back(block);
    blocks.tell(index, static_cast<double>(first.elements()) / first.busy);
  }
  return std::ranges::max(groups, {}, &Group::free_at).free_at;
}

// Whether each element is in exactly one block.
bool is_whole(const std::vector<Group>& groups, const Shape& shape) {
  std::vector<int> times(static_cast<std::size_t>(shape.m * shape.n));
  for (const Group& group : groups) {
    for (const auto& [rows, columns] : group.blocks) {
      for (std::int64_t j = columns.begin; j < columns.end; ++j) {
        for (std::int64_t i = rows.begin; i < rows.end; ++i) ++times[static_cast<std::size_t>(i + j * shape.m)];
      }
    }
  }
  return std::ranges::all_of(times, [](int count) { return count == 1; });
}

TEST(Forecast, TakesNearlyEqualGroupsAsEqual) {
  const std::vector<double> weights{1.0, 3.0};
  EXPECT_EQ(forecast({1.0, 2.8}, weights).rates, weights);
  EXPECT_EQ(forecast({1.0, 2.6}, weights).rates, (std::vector<double>{1.0, 2.6}));
  EXPECT_LT(forecast({1.0, 2.6}, weights).own_part, forecast({1.0, 2.8}, weights).own_part);
}

TEST(Blocks, HaveEachElementOnce) {
  for (const Shape& shape : {Shape{3000, 3000}, Shape{2999, 1001}, Shape{960, 192}, Shape{959, 500}, Shape{20, 150},
                             Shape{3000, 150}, Shape{3000, 3000, true}}) {
    for (const double rate : {0.01, 0.3, 1.0, 20.0}) {
      std::vector<Group> groups{{.rate = 1.0}, {.rate = rate}, {.rate = 1.0, .slow_from = 100.0}};
      compute(groups, shape);
      EXPECT_TRUE(is_whole(groups, shape)) << shape.m << " x " << shape.n << ", " << rate;
    }
  }
}

TEST(Blocks, AreFewWhereTheGroupsKeepTheirRates) {
  std::vector<Group> groups{{.rate = 3e6}, {.rate = 1e6}};
  const double seconds = compute(groups, {3000, 3000});
  EXPECT_LT(seconds, 1.01 * 9e6 / 4e6);
  for (const Group& group : groups) {
    const Strip own = group.blocks[0].columns;
    EXPECT_EQ(group.blocks[0], (Block{{0, 1536}, own}));
    EXPECT_EQ(group.blocks[1], (Block{{1536, 2304}, own}));
    EXPECT_EQ(group.blocks[2], (Block{{2304, 3000}, own}));
    EXPECT_NEAR(static_cast<double>(own.size()), 0.8 * 3000 * group.rate / 4e6, strip_unit);
    EXPECT_LT(group.blocks.size(), 16U);
  }
}

TEST(Blocks, OfAGroupThatFallsBehindAreForTheOthers) {
  std::vector<Group> groups{{.rate = 4e6}, {.rate = 4e6, .slow_from = 0.0}};
  const double seconds = compute(groups, {3000, 3000});
  EXPECT_TRUE(is_whole(groups, {3000, 3000}));
  EXPECT_EQ(groups[1].blocks.size(), 1U);
  EXPECT_LT(seconds, 5.5) << "its first block takes 5.4 s, its own area would take 10.7";
}

TEST(Blocks, HaveAllRowsForDevices) {
  std::vector<Group> groups{{.rate = 3.0}, {.rate = 1.0}};
  compute(groups, {3000, 3000, true});
  for (const Group& group : groups) {
    for (const Block& block : group.blocks) EXPECT_EQ(block.rows, (Strip{0, 3000}));
  }
}

}  // namespace
}  // namespace banzuke::dgemm
