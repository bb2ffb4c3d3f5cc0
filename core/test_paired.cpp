#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/paired.hpp"

namespace banzuke {
namespace {

TEST(Turns, EachWayComesFirstAndTheFirstTurnIsNotCounted) {
  std::string order;
  const auto way = [&](const std::string& name, double seconds) {
    return TimedWay{name, [&order, name, seconds] {
                      order += name;
                      return seconds + static_cast<double>(order.size());
                    }};
  };
  const auto seconds = take_turns({way("a", 100.0), way("b", 200.0), way("c", 300.0)}, 2);
  EXPECT_EQ(order, "abcbcacab");
  EXPECT_EQ(seconds[0], (std::vector{106.0, 108.0}));
  EXPECT_EQ(seconds[1], (std::vector{204.0, 209.0}));
  EXPECT_EQ(seconds[2], (std::vector{305.0, 307.0}));
}

TEST(Ratios, AgreeWithThoseByHand) {
  EXPECT_EQ(ratios({1.0, 9.0}, {2.0, 3.0}), (std::vector{0.5, 3.0}));
  EXPECT_DOUBLE_EQ(geometric_mean({0.5, 8.0}), 2.0);
  EXPECT_EQ(median({3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(quantile({4.0, 1.0, 2.0, 3.0, 5.0}, 0.25), 2.0);
  EXPECT_EQ(quantile({1.0, 2.0}, 0.75), 1.75);
}

}  // namespace
}  // namespace banzuke
