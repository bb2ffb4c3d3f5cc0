#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/shares.hpp"

namespace banzuke {
namespace {

constexpr std::int64_t unit = 48;

// Returns whether the strips, in any order, cover all items exactly once.
bool is_whole(std::vector<Strip> strips, std::int64_t items) {
  std::ranges::sort(strips, {}, &Strip::begin);
  std::int64_t at = 0;
  for (const auto& strip : strips) {
    if (strip.begin != at || strip.end <= strip.begin) return false;
    at = strip.end;
  }
  return at == items;
}

TEST(Shares, FollowTheRates) {
  const std::array<double, 3> rates{3.0, 1.0, 2.0};
  EXPECT_EQ(shares_by_rate(600, 10, rates), (std::vector<Strip>{{0, 300}, {300, 400}, {400, 600}}));
}

TEST(Shares, AreAllItemsWhateverTheRates) {
  for (const std::int64_t items : {144, 145, 1000, 4001}) {
    for (const double fast : {1e-9, 0.3, 1.0, 7.7, 1e9}) {
      const std::array<double, 3> rates{1.0, fast, 1.0};
      const auto strips = shares_by_rate(items, unit, rates);
      EXPECT_TRUE(is_whole(strips, items)) << items << ' ' << fast;
      for (const auto& strip : strips) EXPECT_GE(strip.size(), unit);
      for (std::size_t i = 0; i + 1 < strips.size(); ++i) EXPECT_EQ(strips[i].size() % unit, 0);
    }
  }
}

TEST(Shares, RefuseWhatCannotBeShared) {
  const std::array<double, 2> rates{1.0, 1.0};
  EXPECT_THROW(shares_by_rate(95, unit, rates), std::invalid_argument);
  EXPECT_THROW(shares_by_rate(95, unit, {}), std::invalid_argument);
  for (const double rate : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const std::array<double, 2> wrong{1.0, rate};
    EXPECT_THROW(shares_by_rate(1000, unit, wrong), std::invalid_argument);
  }
}

using Sizes = std::vector<std::int64_t>;

Sizes sizes(std::int64_t items, const Limits& limits, const std::vector<double>& rates) {
  Sizes out;
  for (const Strip& strip : shares_of_units(items, 8, limits, rates)) out.push_back(strip.size());
  return out;
}

TEST(SharesOfUnits, HaveTheShortestTimes) {
  const Limits any{.least = 0, .most = 1000};
  EXPECT_EQ(sizes(64, any, {1.0, 3.0}), (Sizes{16, 48}));
  EXPECT_EQ(sizes(80, any, {1.0, 1.0}), (Sizes{40, 40}));
  EXPECT_EQ(sizes(80, any, {3.0, 1.0}), (Sizes{64, 16}));  // the quotas of 7.5 and 2.5 units: 8 / 3 < 3 / 1
  EXPECT_EQ(sizes(32, any, {1.0, 20.0}), (Sizes{0, 32}));
  const std::array<double, 2> rates{16.0, 48.0};  // sizes as rates have the same sizes
  EXPECT_EQ(shares_of_units(64, 8, any, rates), (std::vector<Strip>{{0, 16}, {16, 64}}));
}

TEST(SharesOfUnits, AreWithinTheLimits) {
  EXPECT_EQ(sizes(64, {.least = 16, .most = 128}, {1.0, 20.0}), (Sizes{16, 48}));
  EXPECT_EQ(sizes(96, {.least = 16, .most = 128}, {10.0, 0.1, 10.0}), (Sizes{40, 16, 40}));
  EXPECT_EQ(sizes(96, {.least = 8, .most = 40}, {1.0, 9.0, 1.0}), (Sizes{32, 40, 24}));
  EXPECT_EQ(sizes(96, {.least = 32, .most = 32}, {1.0, 9.0, 1.0}), (Sizes{32, 32, 32}));
  const std::array<double, 2> rates{1.0, 2.0};
  EXPECT_THROW(shares_of_units(24, 8, {.least = 16, .most = 64}, rates), std::invalid_argument);
  EXPECT_THROW(shares_of_units(64, 8, {.least = 8, .most = 24}, rates), std::invalid_argument);
  const std::array<double, 2> wrong{1.0, 0.0};
  EXPECT_THROW(shares_of_units(64, 8, {.least = 8, .most = 64}, wrong), std::invalid_argument);
}

TEST(Ratios, AreReadAsTheyAreWritten) {
  EXPECT_EQ(read_ratios("0.25:2.5e1:7"), (std::vector<double>{0.25, 25.0, 7.0}));  // any sum is allowed
  for (const char* text : {"", ":", "1:", "1::2", "1:x", "1:2x", "1:0", "1:-1", "1:nan", "1:inf", "1:1e300", "1: 2"}) {
    EXPECT_THROW(read_ratios(text), std::invalid_argument) << text;
  }
}

struct Worker {
  double rate = 1.0;         // items per second
  double stopped_from = -1;  // seconds
  double stopped_until = -1;
  double free_at = 0.0;
  double busy = 0.0;
  std::int64_t done = 0;
  bool finished = false;
  std::vector<Strip> strips{};

  // Returns when it finishes a strip that it starts at `begin`.
  double end_of(double begin, std::int64_t items) const {
    const double end = begin + static_cast<double>(items) / rate;
    return begin < stopped_until && end > stopped_from ? end + stopped_until - std::max(begin, stopped_from) : end;
  }
};

// Simulates the distribution: whoever is free first takes the next strip. Returns the time when all are done.
double deal(std::vector<Worker>& workers, std::int64_t items, const std::vector<double>& believed) {
  std::atomic<std::int64_t> next = 0;
  std::vector<std::atomic<double>> rates(workers.size());
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = believed[i];
  const auto keeper = std::ranges::max_element(believed) - believed.begin();
  const Dealing dealing(items, unit, next, rates, static_cast<std::size_t>(keeper));
  while (!std::ranges::all_of(workers, &Worker::finished)) {
    const auto when = [](const Worker& worker) {
      return worker.finished ? std::numeric_limits<double>::max() : worker.free_at;
    };
    const auto first = std::ranges::min_element(workers, {}, when);
    const auto index = static_cast<std::size_t>(first - workers.begin());
    const Strip strip = dealing.take(index);
    first->finished = strip.size() == 0;
    if (first->finished) continue;
    const double end = first->end_of(first->free_at, strip.size());
    first->busy += end - first->free_at;
    first->free_at = end;
    first->done += strip.size();
    first->strips.push_back(strip);
    dealing.tell(index, static_cast<double>(first->done) / first->busy);
  }
  return std::ranges::max(workers, {}, &Worker::free_at).free_at;
}

std::vector<Strip> strips_of_all(const std::vector<Worker>& workers) {
  std::vector<Strip> all;
  for (const auto& worker : workers) all.insert(all.end(), worker.strips.begin(), worker.strips.end());
  return all;
}

TEST(Dealing, GivesEveryItemOnceAndShorterStripsTowardsTheEnd) {
  std::vector<Worker> workers{{.rate = 300.0}, {.rate = 100.0}};
  deal(workers, 4001, {300.0, 100.0});
  EXPECT_TRUE(is_whole(strips_of_all(workers), 4001));
  EXPECT_EQ(workers[0].strips.front().size(), 1008);  // a third of three quarters
  EXPECT_LE(workers[0].strips.back().size(), 2 * unit);
}

TEST(Dealing, CorrectsRatesThatWereWrong) {
  std::vector<Worker> workers{{.rate = 300.0}, {.rate = 100.0}};
  const double seconds = deal(workers, 4000, {100.0, 300.0});
  EXPECT_TRUE(is_whole(strips_of_all(workers), 4000));
  EXPECT_LT(seconds, 1.05 * 10.0 + unit / 100.0);
}

TEST(Dealing, ASlowWorkerLeavesTheEndToTheFastOne) {
  std::vector<Worker> workers{{.rate = 20.0}, {.rate = 1000.0}};
  const double seconds = deal(workers, 16'000, {20.0, 1000.0});
  EXPECT_TRUE(is_whole(strips_of_all(workers), 16'000));
  EXPECT_LT(seconds, 1.02 * 16'000 / 1020.0) << "a unit takes the slow one 2.4 s";
  EXPECT_GT(workers[0].done, 0);
}

TEST(Dealing, GoesOnWithoutOneThatIsStopped) {
  std::vector<Worker> workers{{.rate = 200.0}, {.rate = 200.0, .stopped_from = 2.0, .stopped_until = 8.0}};
  const double seconds = deal(workers, 4000, {200.0, 200.0});
  EXPECT_TRUE(is_whole(strips_of_all(workers), 4000));
  // Together they have lost six seconds of one worker, i.e. three in total, plus at most two short strips.
  EXPECT_LT(seconds, 13.0 + 2.0 * unit / 200.0);
  EXPECT_GT(workers[0].done, 2400);
}

TEST(Dealing, GivesHalfOfWhatIsLeft) {
  std::atomic<std::int64_t> next = 0;
  std::array<std::atomic<double>, 1> rates{1.0};
  const Dealing dealing(100, 3, next, rates, 0);
  EXPECT_EQ(dealing.take_half(20), (Strip{0, 51}));
  EXPECT_EQ(dealing.take_half(20), (Strip{51, 78}));
  EXPECT_EQ(dealing.take_half(20), (Strip{78, 98}));
  EXPECT_EQ(dealing.take_half(20), (Strip{98, 100}));
  EXPECT_EQ(dealing.take_half(20).size(), 0);
  EXPECT_EQ(dealing.take(0).size(), 0);
}

TEST(Dealing, IsOneForWorkersThatTakeAtOnce) {
  constexpr std::int64_t items = 100'000;
  std::atomic<std::int64_t> next = 0;
  std::array<std::atomic<double>, 4> rates{1.0, 2.0, 3.0, 4.0};
  const Dealing dealing(items, 1, next, rates, 3);
  std::array<std::vector<Strip>, 4> taken;
  std::vector<std::thread> threads;
  threads.reserve(taken.size());
  for (std::size_t worker = 0; worker < taken.size(); ++worker) {
    threads.emplace_back([&, worker] {
      const auto take = [&] { return worker % 2 == 0 ? dealing.take(worker) : dealing.take_half(7); };
      for (Strip strip = take(); strip.size() > 0; strip = take()) taken[worker].push_back(strip);
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<Strip> all;
  for (const auto& strips : taken) all.insert(all.end(), strips.begin(), strips.end());
  EXPECT_TRUE(is_whole(all, items));
}

}  // namespace
}  // namespace banzuke
