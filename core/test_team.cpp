#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <utility>

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
#pragma omp parallel num_threads(threads)
  for (int round = 1; round <= rounds; ++round) {
    ++arrived;
    barrier.wait();
    if (arrived < threads * round) ++early;
    barrier.wait();
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
