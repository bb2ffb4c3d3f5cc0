#include <gtest/gtest.h>

#include <array>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/message.hpp"
#include "pt2pt.hpp"
#include "reference.hpp"
#include "rings.hpp"
#include "timing.hpp"

namespace banzuke::pt2pt {
namespace {

TEST(Sides, AreHalfOfTheRanksApart) {
  EXPECT_EQ(side(0, 2).peer, 1);
  EXPECT_TRUE(side(0, 2).first);
  for (int rank = 0; rank < 6; ++rank) {
    const Side of = side(rank, 6);
    EXPECT_EQ(of.peer, rank < 3 ? rank + 3 : rank - 3);
    EXPECT_EQ(of.first, rank < 3);
  }
}

std::pair<std::int64_t, std::int64_t> counted(const std::string& test, std::int64_t size, std::int64_t asked = 0) {
  const Count found = count({.test = test, .iterations = asked}, size);
  return {found.iterations, found.warm_up};
}

using Pair = std::pair<std::int64_t, std::int64_t>;

TEST(Counts, AreThoseOfOsu) {
  EXPECT_EQ(counted("latency", 8192), Pair(10000, 100));
  EXPECT_EQ(counted("latency", 16384), Pair(1000, 10));
  for (const std::string test : {"bandwidth", "bidirectional"}) {
    EXPECT_EQ(counted(test, 8192), Pair(100, 10));
    EXPECT_EQ(counted(test, 16384), Pair(20, 2));
  }
  EXPECT_EQ(counted("multi-pair", 1 << 22), Pair(100, 10));
  EXPECT_EQ(counted("latency", 1 << 22, 25), Pair(25, 3));
}

TEST(Sizes, AreThoseOfOsu) {
  const auto latency = sizes({.test = "latency"});
  EXPECT_EQ(latency.front(), 0);
  EXPECT_EQ(latency.back(), 1 << 22);
  EXPECT_EQ(latency.size(), 24U);
  EXPECT_EQ(sizes({.test = "bandwidth"}).front(), 1);
  EXPECT_EQ(sizes({.test = "bandwidth", .min_size = 5, .max_size = 16}), (std::vector<std::int64_t>{8, 16}));
}

TEST(Bytes, CountBothWays) {
  EXPECT_EQ(bytes({.test = "latency"}, 100), 100);
  EXPECT_EQ(bytes({.test = "bandwidth", .window = 10}, 100), 1000);
  EXPECT_EQ(bytes({.test = "bidirectional", .window = 10}, 100), 2000);
  EXPECT_EQ(bytes_one_way({.test = "bidirectional", .window = 10}, 100), 1000);
}

TEST(Buffers, HoldTheLargestMessageAndWhatIsCheckedAtOnce) {
  EXPECT_EQ(buffer_bytes({.test = "latency", .max_size = 100}), 100);
  EXPECT_EQ(buffer_bytes({.test = "bandwidth", .max_size = 100, .window = 64}), 6400);
  EXPECT_EQ(buffer_bytes({.test = "bandwidth", .max_size = 1 << 22, .window = 64}), checked_at_once);
  EXPECT_EQ(buffer_bytes({.test = "bandwidth", .max_size = 1 << 30}), 1 << 30);
  EXPECT_EQ(buffer_bytes({.test = "pairs", .max_size = 1 << 30, .window = 1}), matrix::bandwidth_size);
  EXPECT_GE(problem({.test = "bandwidth", .max_size = 1 << 30}, 2).footprint, 2.0 * (1 << 30));
  EXPECT_EQ(problem({.max_size = 8, .iterations = 1000}, 2).footprint, 3 * 8 + 5000 * sample_bytes);
}

TEST(Problem, RefusesRanksAndSizes) {
  for (const std::string test : {"latency", "bandwidth", "bidirectional"}) {
    EXPECT_NO_THROW(problem({.test = test}, 2));
    for (const int ranks : {1, 3, 4}) EXPECT_THROW(problem({.test = test}, ranks), UsageError);
  }
  EXPECT_NO_THROW(problem({.test = "multi-pair"}, 6));
  for (const int ranks : {1, 3}) EXPECT_THROW(problem({.test = "multi-pair"}, ranks), UsageError);
  for (const int ranks : {2, 3, 1024}) EXPECT_NO_THROW(problem({.test = "pairs"}, ranks));
  for (const int ranks : {1, 1025}) EXPECT_THROW(problem({.test = "pairs"}, ranks), UsageError);
  EXPECT_THROW(problem({.test = "latency", .min_size = 5, .max_size = 7}, 2), UsageError);
  EXPECT_THROW(problem({.test = "bandwidth", .max_size = 0}, 2), UsageError);
}

TEST(Problem, NamesWhatIsTakenInstead) {
  const auto nearest = [](const Params& params, int ranks) {
    try {
      problem(params, ranks);
    } catch (const UsageError& error) {
      return error.remedy();
    }
    return std::string();
  };
  EXPECT_EQ(nearest({.test = "bandwidth"}, 3), "Nearest: 2 ranks or test=pairs");
  EXPECT_EQ(nearest({.test = "multi-pair"}, 5), "Nearest: 4 ranks or 6 ranks");
  EXPECT_EQ(nearest({.test = "pairs", .rounds = 9}, 2), "Nearest: rounds=1");
  EXPECT_EQ(nearest({.test = "pairs", .rounds = 1}, 2), "");
  EXPECT_EQ(nearest({.test = "pairs"}, 1025), "Nearest: 1024 ranks or rounds=1023");
  EXPECT_EQ(nearest({.test = "pairs", .rounds = 1000}, 10'000), "Nearest: 1024 ranks or rounds=104");
  EXPECT_EQ(nearest({.test = "pairs", .rounds = 104}, 10'000), "");
  EXPECT_EQ(nearest({.test = "pairs", .rounds = 1}, 2'000'000), "Nearest: 1024 ranks");
  EXPECT_EQ(nearest({.min_size = 5, .max_size = 7}, 2), "Nearest: max_size=8");
}

TEST(Problem, CountsWhatAPairExchanges) {
  const auto facts = [](const Params& params, int ranks) { return Json(problem(params, ranks).facts).dump(); };
  // 10 timed exchanges, 1 to warm up and 6 others, of two messages or of a window of 4; sizes 1 and 2.
  const Params latency{.min_size = 1, .max_size = 2, .iterations = 10};
  EXPECT_EQ(facts(latency, 2), R"({"pair_messages":68,"pair_bytes":102})");
  const Params windows{.test = "bandwidth", .min_size = 1, .max_size = 2, .window = 4, .iterations = 10};
  EXPECT_EQ(facts(windows, 2), R"({"pair_messages":136,"pair_bytes":204})");
}

TEST(Problem, CountsBothDirectionsOfPairs) {
  // Latency: 2 messages of 8 B, 20 timed, 2 to warm up and 6 others; each direction: 4 of 1 MiB, 3 + 1 + 6 times.
  const Params pairs{.test = "pairs", .window = 4, .iterations = 20};
  const auto facts = problem(pairs, 2).facts;
  EXPECT_EQ(facts.front().second.dump(), std::to_string(2 * 28 + 2 * 4 * 10));
}

TEST(Problem, GrowsWithTheRounds) {
  const auto bytes = [](std::int64_t rounds) {
    const auto facts = problem({.test = "pairs", .rounds = rounds}, 1000).facts;
    return std::stod(facts.back().second.dump());
  };
  EXPECT_DOUBLE_EQ(bytes(0), 999 * bytes(1));
  EXPECT_DOUBLE_EQ(bytes(12), 12 * bytes(1));
}

TEST(Rings, AreOfAllRanksInEachOrder) {
  EXPECT_EQ(rings::order(4, 0), (std::vector<int>{0, 1, 2, 3}));
  std::set<std::vector<int>> orders;
  for (int number = 0; number < 31; ++number) {
    auto ring = rings::order(16, number);
    orders.insert(ring);
    int rank = 0;
    std::set<int> met;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      met.insert(rank);
      const auto next = rings::neighbours(ring, rank);
      EXPECT_EQ(rings::neighbours(ring, next.right).left, rank);
      rank = next.right;
    }
    EXPECT_EQ(met.size(), 16U) << "to the right through all ranks";
    EXPECT_EQ(rank, 0) << "and back";
  }
  EXPECT_EQ(orders.size(), 31U) << "no order twice";
}

// The numbers of bench_lat_bw_1.5.2.c, and pairs that it printed: 0.341 us and 161.379 us on 2 ranks have stride 1.
TEST(Rings, AreMeasuredAsOftenAsByHpcc) {
  const auto all = {rings::ring_latency(0), rings::ring_bandwidth(0), rings::pair_latency(0), rings::pair_bandwidth(0)};
  std::vector<std::int64_t> numbers;
  for (const auto& one : all) numbers.insert(numbers.end(), {one.size, one.measurements, one.loop, one.orders});
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{8, 8, 5, 30, 2'000'000, 3, 2, 10, 8, 5, 8, 0, 2'000'000, 2, 1, 0}));
  EXPECT_EQ(rings::ring_latency(2).measurements, 2);
  EXPECT_EQ(rings::stride(rings::pair_latency(0), 0.341e-6, 2), 1);
  EXPECT_EQ(rings::stride(rings::pair_latency(0), 1e-6, 1000), 3) << "447 of 1000 ranks would be every second";
  EXPECT_EQ(rings::stride(rings::pair_bandwidth(0), 161.379e-6, 1000), 7) << "152 of 1000 ranks";
  EXPECT_EQ(rings::stride(rings::pair_bandwidth(0), 1.0, 40), 11) << "5 of 40 ranks would be every eighth, but a prime";
  EXPECT_EQ(rings::longer(1), 2);
  EXPECT_EQ(rings::longer(5), 7);
}

TEST(Rings, LeaveTheBusiestHostBothWays) {
  const std::vector<int> hosts{0, 0, 1, 1};
  EXPECT_EQ(rings::leaving(std::vector<int>{0, 1, 2, 3}, hosts), 2);  // from 1 to the right, from 0 to the left
  EXPECT_EQ(rings::leaving(std::vector<int>{0, 2, 1, 3}, hosts), 4);
  EXPECT_EQ(rings::leaving(std::vector<int>{0, 1}, hosts), 0);
}

TEST(Rings, HaveTwoRanksOrMoreAndMessagesInHostMemory) {
  EXPECT_THROW(problem({.test = "rings"}, 1), UsageError);
  EXPECT_THROW(problem({.test = "rings", .buffers = "device"}, 2), UsageError);
  const auto fact = [](int ranks, std::size_t at) {
    return std::stod(problem({.test = "rings"}, ranks).facts.at(at).second.dump());
  };
  // 11 rings, 3 measurements of 2 + 1 exchanges of 4 messages; 4 or 16 pairs, 2 measurements of 2 round trips.
  EXPECT_NEAR(fact(2, 1), 2e6 * 11 * 3 * 3 * 4, 2e6);
  EXPECT_NEAR(fact(2, 3), 2e6 * 4 * 2 * 2 * 2, 2e6);
  EXPECT_NEAR(fact(4, 3), 2e6 * 16 * 2 * 2 * 2, 2e6);
}

TEST(TimedLoop, WarmsUpAndTimesTheExchangeAlone) {
  std::string calls;
  const auto seconds = timed_loop({.iterations = 2, .warm_up = 1}, [&] { calls += 'b'; }, [&] { calls += 'e'; });
  EXPECT_EQ(calls, "bebebe");
  EXPECT_EQ(seconds.size(), 2U);
  for (const double one : seconds) EXPECT_LT(one, 1.0);
}

// Two threads instead of two ranks.
class TwoSides {
 public:
  explicit TwoSides(std::size_t message)
      : parts_{Buffer(Direct::part_bytes(message)), Buffer(Direct::part_bytes(message))},
        in_{Buffer(message), Buffer(message)},
        size_(message) {
    for (std::size_t i = 0; i < 2; ++i) fill({sides_[i].message(), size_}, i);
  }

  void run(Exchange kind, std::int64_t window) {
    const std::jthread second([&] { sides_[1].run(kind, false, in_[1].data(), size_, window); });
    sides_[0].run(kind, true, in_[0].data(), size_, window);
  }
  // Returns whether side i has what the other one sent.
  bool arrived(std::size_t i) { return mismatches(in_[i].first(size_), 1 - i) == 0; }

 private:
  std::array<Buffer, 2> parts_;
  std::array<Buffer, 2> in_;
  std::size_t size_;
  std::array<Direct, 2> sides_{Direct(parts_[0].data(), parts_[1].data()), Direct(parts_[1].data(), parts_[0].data())};
};

TEST(Direct, MessagesArrive) {
  for (const std::size_t size : {0U, 1U, 4095U, 100'000U}) {
    TwoSides there_and_back(size);
    for (int i = 0; i < 3; ++i) there_and_back.run(Exchange::latency, 1);
    EXPECT_TRUE(there_and_back.arrived(0) && there_and_back.arrived(1)) << size;
    TwoSides both(size);
    for (int i = 0; i < 3; ++i) both.run(Exchange::bidirectional, 5);
    EXPECT_TRUE(both.arrived(0) && both.arrived(1)) << size;
  }
  TwoSides one_way(100);
  one_way.run(Exchange::bandwidth, 5);
  EXPECT_TRUE(one_way.arrived(1));
  EXPECT_FALSE(one_way.arrived(0));
}

TEST(Direct, IsTriedOftenWhereItIsShort) {
  EXPECT_EQ(direct_tries(8), 64);
  EXPECT_EQ(direct_tries(64.0 * (1 << 22)), 4);
}

}  // namespace
}  // namespace banzuke::pt2pt
