#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/team.hpp"

namespace banzuke {
namespace {

// More threads than processors: they must yield to each other.
TEST(Barrier, LetsNobodyOnBeforeAllHaveCome) {
  constexpr int threads = 5;
  constexpr int rounds = 200;
  Barrier barrier(threads);
  std::atomic<int> arrived{0};
  std::atomic<int> early{0};
  const auto come_and_go = [&] {
    for (int round = 1; round <= rounds; ++round) {
      ++arrived;
      barrier.wait();
      if (arrived < threads * round) ++early;
      barrier.wait();
    }
  };
  {
    // Not OpenMP threads, because the thread sanitizer does not see that those have ended.
    std::vector<std::jthread> team;
    team.reserve(threads);
    for (int thread = 0; thread < threads; ++thread) team.emplace_back(come_and_go);
  }
  EXPECT_EQ(early, 0);
  EXPECT_EQ(arrived, threads * rounds);
}

TEST(Barrier, OfOneThreadDoesNotWait) {
  Barrier barrier(1);
  barrier.wait();
  barrier.wait();
}

TEST(Share, PartsFollowEachOtherAndAreEven) {
  for (const std::int64_t size : {0, 1, 7, 8, 9, 64, 1000}) {
    for (const std::int64_t grain : {1, 8}) {
      for (const int parts : {1, 2, 3, 16}) {
        std::int64_t next = 5;
        for (int part = 0; part < parts; ++part) {
          const auto [first, end] = share(5, 5 + size, part, parts, grain);
          EXPECT_EQ(first, next);
          EXPECT_LE(end - first, (size / grain / parts + 1) * grain);
          EXPECT_TRUE((end - 5) % grain == 0 || end == 5 + size);
          next = end;
        }
        EXPECT_EQ(next, 5 + size);
      }
    }
  }
}

TEST(Share, PartsFollowRates) {
  const Parts parts({3.0, 0.5, 0.5});
  std::vector<std::int64_t> sizes;
  std::int64_t next = 5;
  for (int part = 0; part < parts.count(); ++part) {
    const auto [first, end] = share(5, 1005, part, parts, 8);
    EXPECT_EQ(first, next);
    sizes.push_back(end - first);
    next = end;
  }
  EXPECT_EQ(next, 1005);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{744, 128, 128}));
  EXPECT_THROW(Parts({1.0, 0.0}), std::invalid_argument);
  EXPECT_THROW(Parts(std::vector<double>{}), std::invalid_argument);
}

}  // namespace
}  // namespace banzuke
