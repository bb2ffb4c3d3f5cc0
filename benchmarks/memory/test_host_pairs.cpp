// The token that two processors exchange.
#include <gtest/gtest.h>

#include <thread>

#include "pairs.hpp"

namespace banzuke::memory {
namespace {

TEST(Play, GoesToAndFro) {
  Token token;
  token.value = 10;
  std::int64_t other_wrong = -1;
  std::thread other([&] { other_wrong = play(token, false, 10, 1000); });
  EXPECT_EQ(play(token, true, 10, 1000), 0);
  other.join();
  EXPECT_EQ(other_wrong, 0);
  EXPECT_EQ(token.value, 2010);
}

TEST(Play, CountsAValueThatIsNotTheNext) {
  Token token;
  std::thread other([&] {
    std::int64_t seen = 0;
    for (int trip = 0; trip < 10; ++trip) {
      std::int64_t value = seen;
      while ((value = token.value.load()) == seen) std::this_thread::yield();
      seen = trip == 4 ? value + 3 : value + 1;
      token.value = seen;
    }
  });
  EXPECT_EQ(play(token, true, 0, 10), 1);
  other.join();
}

TEST(Play, GivesUpWhereNothingComes) {
  Token token;
  EXPECT_EQ(play(token, true, 0, 10, 0.05), 10);
  EXPECT_EQ(play(token, false, 1, 10, 0.05), 10);
}

}  // namespace
}  // namespace banzuke::memory
