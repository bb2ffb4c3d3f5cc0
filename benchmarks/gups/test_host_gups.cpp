// Tests of the update loops on processors.
#include <gtest/gtest.h>
#include <omp.h>

#include "core/testing.hpp"
#include "reference.hpp"
#include "updates.hpp"

namespace banzuke::gups {
namespace {

TEST(Update, IsTheSameWhateverIsKeptBack) {
  for (const std::int64_t kept : {1, 2, 63, 64, 1024}) {
    for (const std::int64_t count : {0, 1, 2, 1023, 5000}) {
      std::vector<std::uint64_t> table(128);
      for (std::size_t i = 0; i < table.size(); ++i) table[i] = i;
      update<Plain>(table.data(), 127, 0, count / 3, kept);
      update<Atomic>(table.data(), 127, count / 3, count, kept);
      replay_words(table, count);
      EXPECT_EQ(tally_words(table).right, 128) << kept << ' ' << count;
    }
  }
}

TEST(Gups, CountsWhatRacingThreadsLose) {
  omp_set_num_threads(2);
  constexpr std::int64_t n = 4096;
  Gups gups({.n = n, .updates = "racing"}, alone());
  gups.run(0);
  gups.replay(updates_of_word * n);
  EXPECT_GE(gups.tally().right, 0.9 * n);
  EXPECT_EQ(tolerance({.updates = "racing"}), 0.01);
  EXPECT_EQ(tolerance({}), 0.0);
}

}  // namespace
}  // namespace banzuke::gups
