#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/application.hpp"
#include "core/timed_parts.hpp"

namespace banzuke {
namespace {

std::size_t count(const TimedParts& parts) {
  const std::string text = parts.json().dump();
  return static_cast<std::size_t>(std::ranges::count(text, ',')) / 2 + (text == "[]" ? 0 : 1);
}

TEST(TimedParts, JoinsWhatNoSensorTellsApart) {
  TimedParts parts;
  EXPECT_TRUE(parts.empty());
  parts.add(1000.0, 1000.5);
  parts.add(1000.501, 1001.0);
  parts.add(1001.25, 1001.5000004);
  EXPECT_EQ(parts.json().dump(), "[[1000,1001],[1001.25,1001.5]]");
}

TEST(TimedParts, AreAtMostSoManyAndLoseNoTime) {
  TimedParts parts;
  const int rounds = 10'000;
  for (int i = 0; i < rounds; ++i) {
    parts.add(i, i + 0.75);
    ASSERT_LE(count(parts), TimedParts::most);
  }
  const std::string text = parts.json().dump();
  EXPECT_TRUE(text.starts_with("[[0,")) << text;
  EXPECT_TRUE(text.ends_with(",9999.75]]")) << text;
}

TEST(TimedParts, StayInOrderWhenTheClockIsSetBack) {
  TimedParts parts;
  parts.add(100.0, 99.0);
  parts.add(50.0, 51.0);
  parts.add(200.0, 201.0);
  EXPECT_EQ(parts.json().dump(), "[[100,100],[200,201]]");
}

TEST(Watch, HasThePartsThatItWasGivenOrAllOfIt) {
  const auto parts = [](const Watch& watch) {
    const auto conditions = watch.conditions();
    EXPECT_EQ(conditions.back().first, "timed_parts");
    return conditions.back().second.dump();
  };
  Watch watch;
  const std::string all = parts(watch);
  EXPECT_EQ(std::ranges::count(all, '['), 2) << all;
  {
    const auto part = watch.part();
  }
  const std::string once = parts(watch);
  EXPECT_EQ(parts(watch), once);  // later time is not included
}

}  // namespace
}  // namespace banzuke
