// Guarantees of every backend.
#include <gtest/gtest.h>
#include <omp.h>

#include "core/testing.hpp"
#include "gups.hpp"
#include "reference.hpp"
#include "sequence.hpp"
#include "testing.hpp"

namespace banzuke::gups {
namespace {

TEST(Sequence, HasTheNumbersOfHpcc) {
  EXPECT_EQ(element(0), 1U);
  EXPECT_EQ(element(63), 0x8000000000000000U);
  EXPECT_EQ(element(64), 7U);
  EXPECT_EQ(element(128), 0x15U);
  EXPECT_EQ(element(1317624576693539401), 1U);  // HPCC's period
  std::uint64_t a = 1;
  for (std::int64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(element(i), a) << i;
    EXPECT_EQ(multiply(element(i), element(12345)), element(i + 12345)) << i;
    a = next(a);
  }
}

TEST(Sequence, ChecksumIsThatOfItsNumbers) {
  std::uint64_t a = 1;
  std::uint64_t all = 0;
  for (std::int64_t count = 0; count < 300; ++count) {
    EXPECT_EQ(checksum(count), all) << count;
    a = next(a);
    all ^= a;
  }
}

TEST(Bounded, IsWhatFitsInTheTime) {
  EXPECT_EQ(bounded(60.0, 1.0, 100, 10'000), 6000);
  EXPECT_EQ(bounded(60.0, 0.1, 100, 10'000), 10'000);
  EXPECT_EQ(bounded(60.0, 1e9, 100, 10'000), 1);
}

TEST(Gups, MakesTheUpdatesOfTheDefinition) {
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    for (const std::int64_t n : {2, 4, 64, 4096, 1 << 16}) {
      Gups gups({.n = n}, alone());
      gups.run(0);
      gups.run(1);
      EXPECT_EQ(gups.words(), updated(n, 2 * updates_of_word * n)) << n;
      EXPECT_EQ(wrong_bits(gups.tally(), n, 2 * updates_of_word * n), 0) << n;
      gups.replay(2 * updates_of_word * n);
      EXPECT_EQ(gups.tally().right, n) << n;
    }
  }
}

TEST(Check, SeesUpdatesThatAreMissing) {
  constexpr std::int64_t n = 1024;
  Gups gups({.n = n}, alone());
  EXPECT_EQ(gups.tally().right, n);
  EXPECT_GT(wrong_bits(gups.tally(), n, updates_of_word * n), 0);
  gups.run(0);
  EXPECT_GT(wrong_bits(gups.tally(), n, updates_of_word * n - 1), 0);
  gups.replay(updates_of_word * n - 1);
  EXPECT_EQ(gups.tally().right, n - 1);
}

TEST(Check, CountsWrongWords) {
  auto table = updated(256, 1024);
  table[3] ^= 1U;
  table[255] = 0;
  EXPECT_GT(wrong_bits(tally_words(table), 256, 1024), 0);
  replay_words(table, 1024);
  EXPECT_EQ(tally_words(table).right, 254);
}

TEST(Params, TakeOnlyPowersOfTwo) {
  Params params{.n = 1000};
  try {
    problem(params, 1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.remedy(), "Nearest: n=512 or n=1024");
  }
  params.n = 1024;
  EXPECT_NO_THROW(problem(params, 1));
}

TEST(Work, CountsLinesBothWays) {
  EXPECT_EQ(work(100, 64).counted, 100);
  EXPECT_EQ(demanded(work(100, 64), "memory.bytes"), 12800);
  EXPECT_EQ(demanded(work(100, 32, 0.5), "memory.bytes"), 3200);
}

}  // namespace
}  // namespace banzuke::gups
