#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "core/pair_schedule.hpp"

namespace banzuke {
namespace {

TEST(PairSchedule, HasEveryPairOnceAndNobodyTwice) {
  for (int members = 2; members <= 33; ++members) {
    std::set<std::pair<int, int>> met;
    int pauses = 0;
    for (int round = 0; round < pair_rounds(members); ++round) {
      for (int member = 0; member < members; ++member) {
        const int peer = pair_partner(member, round, members);
        if (peer < 0) {
          ++pauses;
          continue;
        }
        ASSERT_LT(peer, members);
        ASSERT_NE(peer, member);
        ASSERT_EQ(pair_partner(peer, round, members), member) << "round " << round << " of " << members << " members";
        if (member < peer) {
          EXPECT_TRUE(met.emplace(member, peer).second) << member << " meets " << peer << " again";
        }
      }
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(members) * static_cast<std::size_t>(members - 1) / 2);
    EXPECT_EQ(pauses, members % 2 == 0 ? 0 : members);
  }
}

TEST(PairSchedule, HasSomeRoundsOfPairsNearAndFar) {
  for (const int members : {4, 9, 10, 64, 65, 1000}) {
    for (const int rounds : {1, 2, 3, 7}) {
      const PairSchedule schedule(rounds, members);
      if (rounds + 1 >= pair_rounds(members)) {
        EXPECT_EQ(schedule.rounds(), pair_rounds(members));
        continue;
      }
      ASSERT_EQ(schedule.rounds(), rounds);
      std::set<std::pair<int, int>> met;
      int pauses = 0;
      for (int round = 0; round < rounds; ++round) {
        for (int member = 0; member < members; ++member) {
          const int peer = schedule.partner(member, round);
          pauses += peer < 0 ? 1 : 0;
          if (peer < 0) continue;
          ASSERT_LT(peer, members);
          ASSERT_EQ(schedule.partner(peer, round), member) << "round " << round << " of " << members << " members";
          if (member < peer) {
            EXPECT_TRUE(met.emplace(member, peer).second) << member << " meets " << peer << " again";
          }
        }
      }
      // Pauses: the odd member, and in each round after the first the few pairs that are neighbours.
      EXPECT_LE(pauses, rounds + 4 * (rounds - 1)) << members << " members, " << rounds << " rounds";
      EXPECT_TRUE(met.contains({0, 1}) && met.contains({2, 3}));
    }
  }
}

TEST(PairSchedule, SpreadsWhomAMemberMeets) {
  const int members = 1000;
  const PairSchedule schedule(11, members);
  std::set<int> tenths;
  for (int round = 1; round < schedule.rounds(); ++round) tenths.insert(schedule.partner(500, round) / 100);
  EXPECT_EQ(tenths.size(), 10U);
}

TEST(PairSchedule, HasAllPairsUnlessFewerAreAskedFor) {
  for (const std::int64_t rounds : {0, 8, 9, 10, 1'000'000}) {
    const PairSchedule schedule(rounds, 10);
    EXPECT_EQ(schedule.rounds(), 9);
    for (int member = 0; member < 10; ++member) EXPECT_EQ(schedule.partner(member, 4), pair_partner(member, 4, 10));
  }
}

TEST(PairSchedule, AMembersSampleIsTheMedianOfItsPairs) {
  const Metric metric = over_members({.unit = "s", .from = {0, 0, 2}, .to = {1, 2, 3}, .values = {1, 3, 8}}, 5, "time");
  EXPECT_EQ(metric.samples, (std::vector<double>{2, 1, 5.5, 8}));  // member 4 met nobody
}

}  // namespace
}  // namespace banzuke
