// The work, the clock's part, the distribution, and what a plan is derived from.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "clock_part.hpp"
#include "counter.hpp"
#include "histogram.hpp"
#include "noise.hpp"
#include "timer.hpp"
#include "work.hpp"

#include <linux/perf_event.h>

namespace banzuke::noise {
namespace {

TEST(Work, ComesToWhatJumpingAheadGives) {
  for (const std::int64_t blocks : {0, 1, 2, 3, 1000, 12345}) {
    EXPECT_EQ(run_blocks(seed, blocks), jumped(seed, static_cast<std::uint64_t>(blocks * steps_of_block))) << blocks;
  }
}

TEST(Work, OneStepMoreOrLessIsSeen) {
  const auto steps = static_cast<std::uint64_t>(1000 * steps_of_block);
  EXPECT_NE(run_blocks(seed, 1000), jumped(seed, steps - 1));
  EXPECT_NE(run_blocks(seed, 1000), jumped(seed, steps + 1));
}

TEST(Work, JumpsAdd) { EXPECT_EQ(jumped(jumped(seed, 123456789), 987654321), jumped(seed, 123456789 + 987654321)); }

Chunks even(std::int64_t time) {
  Chunks chunks{};
  chunks.fill(time);
  return chunks;
}

TEST(EvenTime, DoesNotSeeEvents) {
  const std::int64_t quiet = even_time(even(100));
  EXPECT_EQ(quiet, 6400);
  for (std::size_t at = 0; at < chunks_of_quantum; ++at) {
    Chunks chunks = even(100);
    chunks[at] += 5'000'000;
    EXPECT_EQ(even_time(chunks), quiet) << at;
    chunks[(at + 1) % chunks_of_quantum] += 30;
    EXPECT_EQ(even_time(chunks), quiet) << at;
  }
}

TEST(EvenTime, FollowsAClockThatChangesWithinIt) {
  Chunks chunks = even(100);
  std::ranges::fill(chunks.begin() + 32, chunks.end(), 110);
  chunks[40] += 1000;
  EXPECT_EQ(even_time(chunks), 34 * 100 + 30 * 110);  // at the step the lower value counts
}

TEST(EvenTime, ABusyStretchIsNoClock) {
  Chunks chunks = even(100);
  std::ranges::fill(chunks.begin() + 20, chunks.begin() + 30, 1'000'000);
  EXPECT_EQ(even_time(chunks), 58 * 100 + 6 * 125);
}

TEST(ClockPart, IsWhatQuantaTookMoreWithoutEvents) {
  Lane lane;
  lane.samples = {6400, 7040, 9000};
  lane.even = {6400, 7040, 6410};
  EXPECT_EQ(clock_part_of_chunks(lane), (std::vector<std::int64_t>{0, 640, 10}));
  EXPECT_EQ(resolution({0, 640, 10, 10}), 630);
}

// 2 ticks per ns. In the second quantum the clock was slower; in the third the kernel took 600 ns.
TEST(ClockPart, FollowsFromACounterOfUserTime) {
  Lane lane;
  lane.samples = {1000, 1500, 1600};
  lane.user = {2000, 3000, 2000};
  EXPECT_EQ(clock_part_of_counter(lane), (std::vector<std::int64_t>{0, 500, 0}));
}

TEST(Histogram, IsExactBelowAThousandAndHasThreeDigitsAbove) {
  for (std::int64_t value = 0; value < 1000; ++value) EXPECT_EQ(value_of(bin_of(value)), value);
  const std::array<std::array<std::int64_t, 2>, 9> rounded{{{1000, 1000},
                                                            {1001, 1010},
                                                            {9990, 9990},
                                                            {9991, 10000},
                                                            {10000, 10000},
                                                            {29'370'001, 29'400'000},
                                                            {999'000'000, 999'000'000},
                                                            {999'000'001, 1'000'000'000},
                                                            {123'456'789'012, 124'000'000'000}}};
  for (const auto& [value, expected] : rounded) EXPECT_EQ(value_of(bin_of(value)), expected) << value;
  EXPECT_LT(bin_of(INT64_MAX), Histogram().counts().size());
}

TEST(Histogram, BinsAscend) {
  std::int64_t before = -1;
  for (std::size_t bin = 0; bin < Histogram().counts().size(); ++bin) {
    EXPECT_GT(value_of(bin), before);
    EXPECT_EQ(bin_of(value_of(bin)), bin);
    before = value_of(bin);
  }
}

TEST(Histogram, PercentilesAreTheLeastValueThatSoManyAreNotAbove) {
  Histogram histogram;
  for (std::int64_t value = 1; value <= 100; ++value) histogram.add(value);
  EXPECT_EQ(histogram.percentile(0.5), 50);
  EXPECT_EQ(histogram.percentile(0.99), 99);
  EXPECT_EQ(histogram.percentile(0.999), 100);
  EXPECT_EQ(histogram.percentile(0.0), 1);
  EXPECT_EQ(histogram.total(), 100);
}

TEST(Histogram, DistributionHasWhatCame) {
  Histogram histogram;
  for (const std::int64_t value : {0, 0, 7, 1234, 1235}) histogram.add(value);
  const Distribution found = histogram.distribution();
  EXPECT_EQ(found.values, (std::vector<std::int64_t>{0, 7, 1240}));
  EXPECT_EQ(found.counts, (std::vector<std::int64_t>{2, 1, 2}));
}

// A machine may lack hardware counters, so this uses the kernel's clock of a thread, which is read in the same way.
TEST(Counter, CountsWhileTheThreadWorks) {
  const Counter clock(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
  if (!clock.open()) GTEST_SKIP() << "hardware: the kernel allows no counters";
  volatile std::uint64_t value = seed;
  // Takes the least of five, because this clock goes on while a hypervisor takes the processor away.
  const auto least = [&](std::int64_t blocks) {
    std::int64_t out = std::numeric_limits<std::int64_t>::max();
    for (int trial = 0; trial < 5; ++trial) {
      const std::int64_t before = clock.read();
      value = run_blocks(value, blocks);
      out = std::min(out, clock.read() - before);
    }
    return out;
  };
  const std::int64_t first = least(50'000);
  EXPECT_GT(first, 0);
  EXPECT_GT(least(500'000), 3 * first);
}

TEST(Counter, IsClosedWhereThereIsNone) { EXPECT_FALSE(Counter(PERF_TYPE_SOFTWARE, 1U << 30U).open()); }

TEST(Timer, GoesOn) {
  const Timer timer;
  const std::int64_t start = timer.read();
  while (timer.read() == start) {
  }
  EXPECT_GT(timer.read(), start);
  EXPECT_GT(timer.reading(), 1e-9);
  EXPECT_LT(timer.reading(), 1e-4);
}

TEST(Params, SamplesFollowFromTheTimeUnlessTheyAreGiven) {
  EXPECT_EQ(samples({}), 60'000);
  EXPECT_EQ(samples({.seconds = 6.13}), 1000);
  EXPECT_EQ(samples({.test = "ftq", .seconds = 6.13}), 6130);
  EXPECT_EQ(samples({.quantum = 1e-4, .seconds = 1.0}), 10'000);
  EXPECT_EQ(samples({.samples = 7, .seconds = 1.0}), 7);
  EXPECT_EQ(samples({.seconds = 1e-4}), 2);
  EXPECT_EQ(samples({.quantum = 1e-5, .seconds = 1e6}), 4'000'000);
}

TEST(Params, AQuantumOfAFewReadingsOfTheClockAndASampleAloneAreRefused) {
  EXPECT_THROW(problem({.quantum = 1e-6}, 1), UsageError);
  EXPECT_THROW(problem({.samples = 1}, 1), UsageError);
  EXPECT_NO_THROW(problem({}, 1));
}

TEST(Params, FootprintGrowsWithTheSamples) {
  EXPECT_GT(problem({.samples = 2000}, 1).footprint, 1.9 * problem({.samples = 1000}, 1).footprint);
  EXPECT_LT(problem({.samples = 60'000}, 100'000).footprint, 1e9);  // a record holds only so many
}

}  // namespace
}  // namespace banzuke::noise
