#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "core/storage/mounts.hpp"
#include "core/storage/stragglers.hpp"

namespace banzuke {
namespace {

TEST(Mounts, InBlocksAreApartByTheRanksOfOne) {
  const Mounts mounts{std::array{7.0, 7.0, 3.0, 3.0, 5.0, 5.0}};
  EXPECT_EQ(mounts.count(), 3);
  EXPECT_EQ(mounts.of(3), 1);
  EXPECT_FALSE(mounts.apart(1));
  EXPECT_EQ(mounts.shift(), 2);
  EXPECT_FALSE(mounts.apart(6));
}

TEST(Mounts, InTurnAreApartByOne) { EXPECT_EQ(Mounts(std::array{1.0, 2.0, 1.0, 2.0}).shift(), 1); }

TEST(Mounts, ThatCannotBeApartAreShiftedByOne) {
  for (const auto& identities : {std::vector{1.0}, {1.0, 1.0}, {1.0, 1.0, 1.0, 2.0}}) {
    const Mounts mounts(identities);
    EXPECT_EQ(mounts.shift(), 1);
    EXPECT_FALSE(mounts.apart(1));
  }
}

TEST(Slowest, AreNamedFirstAndFive) {
  const std::string text = slowest({3.0, 9.0, 1.0, 4.0, 5.0, 6.0}, {"a", "b", "c", "d", "e", "f"}).dump();
  EXPECT_TRUE(text.starts_with(R"({"median":4.5,"slowest":[{"rank":2,"host":"c","rate":1},{"rank":0,"host":"a",)"))
      << text;
  EXPECT_EQ(text.find("\"b\""), std::string::npos);
}

}  // namespace
}  // namespace banzuke
