// Random loads, and whether their check detects errors.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gather.hpp"

namespace banzuke::memory {
namespace {

constexpr std::int64_t line = 64;

std::vector<std::byte> data_of(std::int64_t lines) {
  return std::vector<std::byte>(static_cast<std::size_t>(lines * line));
}

TEST(Gather, ReadsEveryLineAboutAsOften) {
  constexpr std::int64_t lines = 100;
  auto data = data_of(lines);
  for (std::int64_t changed = 0; changed < lines; ++changed) {
    Gather gather(data.data(), lines * line, line, 3);
    data[static_cast<std::size_t>(changed * line)] ^= std::byte{1};  // noticed only if it is read
    gather.run(200);
    EXPECT_TRUE(gather.wrong()) << changed;
  }
}

TEST(Gather, TheCheckSeesLoadsThatAreLeftOut) {
  auto data = data_of(64);
  Gather gather(data.data(), 64 * line, line, 1);
  gather.run(10);
  EXPECT_FALSE(gather.wrong());
  std::memset(data.data(), 0, data.size());  // as if nothing were added
  gather.run(1);
  EXPECT_TRUE(gather.wrong());
}

TEST(Gather, PrefetchingLoadsTheSameLines) {
  auto data = data_of(100);
  Gather alone(data.data(), 100 * line, line, 1);
  Gather prefetched(data.data(), 100 * line, line, 1);
  prefetched.restart(4);
  for (const std::int64_t groups : {3, 4, 5, 1}) {
    alone.run(groups);
    prefetched.run(groups);
    EXPECT_EQ(prefetched.sum(), alone.sum()) << groups;
    EXPECT_FALSE(prefetched.wrong()) << groups;
  }
}

TEST(Gather, TwoThreadsReadInDifferentOrders) {
  auto data = data_of(1000);
  Gather one(data.data(), 1000 * line, line, 0);
  Gather other(data.data(), 1000 * line, line, 1);
  one.run(3);
  other.run(3);
  EXPECT_NE(one.sum(), other.sum());
}

}  // namespace
}  // namespace banzuke::memory
