#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "blocks.hpp"

namespace banzuke::dgemm {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct Group {
  double rate = 1.0;         // updates per second
  double expected = 0.0;     // before the call; 0: as it is
  double slow_from = never;  // seconds, when it has a tenth of its rate
  double free_at = 0.0;
  bool finished = false;
  bool waits = false;  // for what others may give
  RecentRate recent{};
  std::vector<Block> blocks{};

  // A library packs A and B for each block, as long as computing some more rows and columns would take.
  double seconds_of(const Block& block) const {
    const double packing =
        15.0 * static_cast<double>(block.rows.size()) + 25.0 * static_cast<double>(block.columns.size());
    return (static_cast<double>(block.elements()) + packing) * static_cast<double>(block.inner.size()) / rate;
  }

  double end_of(const Block& block) const {
    const double end = free_at + seconds_of(block);
    return end > slow_from ? end + 9.0 * (end - std::max(free_at, slow_from)) : end;
  }
};

struct Shape {
  Extent extent;
  bool whole_columns = false;
};

std::int64_t sum_of(const Extent& extent) { return extent.m * extent.n * extent.k; }

// The next to do something: a group that waits looks again when another one has done something.
Group& next_of(std::vector<Group>& groups) {
  const auto when = [](const Group& group) { return group.finished || group.waits ? never : group.free_at; };
  return *std::ranges::min_element(groups, {}, when);
}

// Simulates a call: whoever is free first takes the next block. Returns the time when all are done.
double compute(std::vector<Group>& groups, const Shape& shape) {
  std::vector<Account> accounts(groups.size() + 1);
  std::vector<std::atomic<double>> rates(groups.size());
  std::vector<double> expected;
  expected.reserve(groups.size());
  for (const Group& group : groups) expected.push_back(group.expected > 0.0 ? group.expected : group.rate);
  for (std::size_t group = 0; group < groups.size(); ++group) rates[group] = expected[group];
  const std::vector<double> weights(groups.size(), 1.0);
  const Blocks blocks(shape.extent, accounts, rates, forecast(expected, weights), shape.whole_columns);
  while (!std::ranges::all_of(groups, &Group::finished)) {
    Group& first = next_of(groups);
    const auto index = static_cast<std::size_t>(&first - groups.data());
    if (first.recent.value() > 0.0) blocks.tell(index, first.recent.value());
    const double at = first.free_at;
    const std::optional<Block> block = blocks.take(index);
    first.waits = !block;
    first.finished = block && block->updates() == 0;
    if (block && !first.finished) {
      const double end = first.end_of(*block);
      first.recent.add(static_cast<double>(block->updates()), end - first.free_at);
      first.free_at = end;
      first.blocks.push_back(*block);
    }
    if (first.waits) {
      if (std::ranges::all_of(groups, [](const Group& group) { return group.finished || group.waits; })) return never;
      continue;
    }
    for (Group& other : groups) {
      if (std::exchange(other.waits, false)) other.free_at = std::max(other.free_at, at);
    }
  }
  double end = 0.0;
  for (const Group& group : groups) {
    if (!group.blocks.empty()) end = std::max(end, group.free_at);
  }
  return end;
}

// Whether each element has all its updates once, and none of them in two blocks at the same time.
bool is_whole(const std::vector<Group>& groups, const Extent& extent) {
  const auto size = static_cast<std::size_t>(extent.m * extent.n);
  std::vector<std::int64_t> lengths(size);
  std::vector<std::int64_t> squares(size);
  for (const Group& group : groups) {
    for (const auto& [rows, columns, inner] : group.blocks) {
      for (std::int64_t j = columns.begin; j < columns.end; ++j) {
        for (std::int64_t i = rows.begin; i < rows.end; ++i) {
          lengths[static_cast<std::size_t>(i + j * extent.m)] += inner.size();
          squares[static_cast<std::size_t>(i + j * extent.m)] += inner.end * inner.end - inner.begin * inner.begin;
        }
      }
    }
  }
  return std::ranges::all_of(lengths, [&](std::int64_t length) { return length == extent.k; }) &&
         std::ranges::all_of(squares, [&](std::int64_t square) { return square == extent.k * extent.k; });
}

// Returns the part of what the groups would reach if each computed its share alone, in a single block.
double part_of_sum(const std::vector<Group>& groups, const Extent& extent, double seconds) {
  double total = 0.0;
  for (const Group& group : groups) total += group.rate;
  double sum = 0.0;
  for (const Group& group : groups) {
    const auto share = static_cast<std::int64_t>(static_cast<double>(extent.n) * group.rate / total);
    const Block alone{{0, extent.m}, {0, share}, {0, extent.k}};
    sum += static_cast<double>(alone.updates()) / group.seconds_of(alone);
  }
  return static_cast<double>(sum_of(extent)) / seconds / sum;
}

TEST(Forecast, TakesNearlyEqualGroupsAsEqual) {
  const std::vector<double> weights{1.0, 3.0};
  EXPECT_EQ(forecast({1.0, 2.8}, weights).rates, weights);
  EXPECT_EQ(forecast({1.0, 2.6}, weights).rates, (std::vector<double>{1.0, 2.6}));
  EXPECT_LT(forecast({1.0, 2.6}, weights).own_part, forecast({1.0, 2.8}, weights).own_part);
  EXPECT_EQ(forecast({1.0, 2.6}, weights, Measured::in_product).own_part, forecast({1.0, 2.8}, weights).own_part);
}

TEST(RecentRate, IsOfTheLastMoments) {
  RecentRate rate;
  EXPECT_EQ(rate.value(), 0.0);
  rate.add(10.0, 1.0);
  EXPECT_DOUBLE_EQ(rate.value(), 10.0);
  for (int call = 0; call < 8; ++call) rate.add(1.0, 0.015625);
  EXPECT_DOUBLE_EQ(rate.value(), 64.0) << "the first second is past";
}

TEST(Cuts, CoverTheInnerDimensionInLengthsThatLibrariesPackAtOnce) {
  for (const auto& [k, wanted] :
       std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>{{512, {256, 512}},
                                                                       {576, {256, 576}},
                                                                       {1000, {256, 512, 768, 1000}},
                                                                       {3000, {512, 1024, 1536, 2048, 2560, 3000}}}) {
    std::vector<std::int64_t> ends;
    for (std::int64_t begin = 0; begin < k; begin = ends.back()) ends.push_back(end_of_cut(k, begin));
    EXPECT_EQ(ends, wanted);
  }
  for (const std::int64_t k : {2047, 2048, 2049, 100'000, 1'000'000}) {
    std::size_t cuts = 0;
    for (std::int64_t begin = 0; begin < k; begin = end_of_cut(k, begin)) ++cuts;
    EXPECT_LE(cuts, most_cuts) << k;
  }
}

TEST(Blocks, HaveEachUpdateOnce) {
  for (const Shape& shape :
       {Shape{{1500, 1000, 100}}, Shape{{2999, 1001, 1}}, Shape{{960, 192, 7}}, Shape{{959, 500, 7}},
        Shape{{20, 150, 1}}, Shape{{3000, 150, 3000}}, Shape{{300, 3000, 3000}, true}, Shape{{192, 192, 512}},
        Shape{{1001, 2999, 999}}, Shape{{2000, 500, 5000}}}) {
    for (const double rate : {0.01, 0.3, 1.0, 20.0}) {
      for (const double expected : {0.0, 1.0}) {
        std::vector<Group> groups{{.rate = 1.0},
                                  {.rate = rate, .expected = expected},
                                  {.rate = 1.0, .slow_from = 0.1 * static_cast<double>(sum_of(shape.extent))}};
        EXPECT_LT(compute(groups, shape), never);
        EXPECT_TRUE(is_whole(groups, shape.extent)) << shape.extent.m << " x " << shape.extent.n << ", " << rate;
      }
    }
  }
}

TEST(Blocks, AreCutsOfOwnAreasAndFewOthersWhereTheGroupsKeepTheirRates) {
  constexpr Extent extent{3000, 3000, 3000};
  for (const double rate : {1.0, 3.0}) {
    std::vector<Group> groups{{.rate = rate * 1e9}, {.rate = 1e9}};
    const double seconds = compute(groups, {extent});
    EXPECT_GT(part_of_sum(groups, extent, seconds), rate > 1.0 ? 0.97 : 0.985);
    for (const Group& group : groups) {
      const Strip own = group.blocks[0].columns;
      for (std::size_t cut = 0; cut < 6; ++cut) {
        EXPECT_EQ(group.blocks[cut].rows, (Strip{0, 3000}));
        EXPECT_EQ(group.blocks[cut].columns, own);
        EXPECT_EQ(group.blocks[cut].inner.begin, static_cast<std::int64_t>(512 * cut));
      }
      const double part = rate > 1.0 ? 0.9 : 0.95;
      EXPECT_NEAR(static_cast<double>(own.size()), part * 3000 * group.rate / ((rate + 1.0) * 1e9), strip_unit);
      EXPECT_LT(group.blocks.size(), 14U);
    }
  }
}

TEST(Blocks, AreOfRowsWhereThereAreNoCuts) {
  std::vector<Group> groups{{.rate = 1e8}, {.rate = 1e8}};
  compute(groups, {{3000, 3000, 500}});
  for (const Group& group : groups) {
    const Strip own = group.blocks[0].columns;
    EXPECT_EQ(group.blocks[0], (Block{{0, 1536}, own, {0, 500}}));
    EXPECT_EQ(group.blocks[1], (Block{{1536, 2304}, own, {0, 500}}));
    EXPECT_EQ(group.blocks[2], (Block{{2304, 3000}, own, {0, 500}}));
  }
}

TEST(Blocks, OfAGroupThatFallsBehindAreForTheOthers) {
  for (const std::int64_t k : {500, 3000}) {
    const Extent extent{1000, 3000, k};
    const auto whole = static_cast<double>(sum_of(extent));
    std::vector<Group> groups{{.rate = whole / 2.0}, {.rate = whole / 2.0, .slow_from = 0.0}};
    const double seconds = compute(groups, {extent});
    EXPECT_TRUE(is_whole(groups, extent));
    // Its area would take 9.5 s, half of its rows 4.8, a cut 1.6; after that the other one needs 0.8 s for what is
    // left.
    EXPECT_LT(seconds, k == 500 ? 6.0 : 2.6);
  }
}

TEST(Blocks, OfAGroupThatSlowsDownLateAreGivenAtTheNextCut) {
  const Extent extent{1000, 3000, 4096};
  const auto whole = static_cast<double>(sum_of(extent));
  std::vector<Group> groups{{.rate = whole / 2.0}, {.rate = whole / 2.0, .slow_from = 0.5}};
  const double seconds = compute(groups, {extent});
  EXPECT_TRUE(is_whole(groups, extent));
  // 1.41 s at the best. The cut in which it slows down takes up to 1.2 s, and so would the others.
  EXPECT_LT(seconds, 2.1);
}

TEST(Blocks, NobodyWaitsForAGroupThatHasLeft) {
  std::vector<Account> accounts(3);
  std::vector<std::atomic<double>> rates(2);
  for (auto& rate : rates) rate = 1.0;
  const Blocks blocks({200, 200, 1000}, accounts, rates, forecast({1.0, 1.0}, {1.0, 1.0}), false);
  while (true) {
    const std::optional<Block> block = blocks.take(0);
    if (!block) break;
    ASSERT_GT(block->updates(), 0) << "the other one has an area of its own";
  }
  blocks.leave(1);
  const std::optional<Block> last = blocks.take(0);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last.value_or(Block{{0, 1}, {0, 1}, {0, 1}}).updates(), 0);
}

TEST(Blocks, HaveAllRowsForDevices) {
  std::vector<Group> groups{{.rate = 3.0}, {.rate = 1.0}};
  compute(groups, {{3000, 3000, 3000}, true});
  for (const Group& group : groups) {
    for (const Block& block : group.blocks) {
      EXPECT_EQ(block.rows, (Strip{0, 3000}));
      EXPECT_EQ(block.inner, (Strip{0, 3000}));
    }
  }
}

}  // namespace
}  // namespace banzuke::dgemm
