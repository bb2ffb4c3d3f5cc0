#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "core/team.hpp"

namespace banzuke {
namespace {

// More threads than processors: they must let each other run.
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
    // Not OpenMP's: the thread sanitizer does not see that those have ended.
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

}  // namespace
}  // namespace banzuke
