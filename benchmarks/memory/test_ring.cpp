// The cycles of dependent loads, and whether their checks detect errors.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "ring.hpp"

namespace banzuke::memory {
namespace {

struct alignas(64) Line {
  std::byte bytes[64];
};

Ring ring_of(std::vector<Line>& data, std::int64_t page = 0) {
  return {data.data(), static_cast<std::int64_t>(64 * data.size()), 64, page, 1};
}

TEST(RandomCycle, VisitsEveryNumberBeforeItsFirstOneAgain) {
  for (const std::int64_t n : {1, 2, 3, 64, 1000}) {
    const auto next = random_cycle(n, 7);
    std::set<std::int64_t> seen;
    std::int64_t at = 0;
    for (std::int64_t step = 0; step < n; ++step, at = next[static_cast<std::size_t>(at)]) seen.insert(at);
    EXPECT_EQ(at, 0);
    EXPECT_EQ(seen.size(), n);
  }
}

TEST(Ring, IsOneCycleOfAllLines) {
  for (const std::size_t lines : {1, 2, 3, 63, 64, 65, 1000}) {
    for (const std::int64_t page : {0, 64, 256, 4096}) {
      std::vector<Line> data(lines);
      Ring ring = ring_of(data, page);
      EXPECT_EQ(ring.lines(), lines);
      EXPECT_EQ(ring.missed(), 0) << lines << ' ' << page;
    }
  }
}

TEST(Ring, StaysInAPageUntilAllItsLinesWereVisited) {
  std::vector<Line> data(640);
  Ring ring = ring_of(data, 4096);
  const auto page = [&](const Link* link) { return (reinterpret_cast<const Line*>(link) - data.data()) / 64; };
  int changes = 0;
  Link* at = &ring.link(0);
  for (int step = 0; step < 640; ++step, at = at->next) changes += page(at) != page(at->next) ? 1 : 0;
  EXPECT_EQ(changes, 10);
  Ring across = ring_of(data);
  changes = 0;
  at = &across.link(0);
  for (int step = 0; step < 640; ++step, at = at->next) changes += page(at) != page(at->next) ? 1 : 0;
  EXPECT_GT(changes, 400);
}

TEST(Missed, SeesACycleThatIsShorterThanSaid) {
  std::vector<Line> data(100);
  Ring ring = ring_of(data);
  ring.link(3).next = ring.link(3).next->next;  // leaves one out
  EXPECT_GT(ring.missed(), 0);
}

TEST(Missed, SeesALineThatLeadsToItself) {
  std::vector<Line> data(100);
  Ring ring = ring_of(data);
  ring.link(3).next = &ring.link(3);
  EXPECT_GT(ring.missed(), 0);
}

TEST(Missed, SeesTwoCycles) {
  std::vector<Line> data(100);
  Ring ring = ring_of(data);
  std::swap(ring.link(3).next, ring.link(50).next);
  EXPECT_GT(ring.missed(), 0);
}

TEST(Misled, IsNoChaseOfAnyLength) {
  std::vector<Line> data(100);
  Ring ring = ring_of(data);
  for (const std::int64_t loads : {0, 1, 31, 32, 33, 99, 100, 101, 12345}) {
    ring.go(loads);
    EXPECT_FALSE(ring.misled()) << loads;
  }
}

TEST(Misled, SeesLoadsThatWereLeftOut) {
  for (const std::int64_t loads : {1, 50, 99, 101, 1001}) {
    std::vector<Line> data(100);
    Ring ring = ring_of(data);
    ring.missed();
    EXPECT_FALSE(ring.leads_to(ring.link(0), loads)) << loads;
  }
}

}  // namespace
}  // namespace banzuke::memory
