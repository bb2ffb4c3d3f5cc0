// The threads' chases and loops, and which calls are accepted.
#include <gtest/gtest.h>
#include <omp.h>

#include "memory.hpp"
#include "pairs.hpp"
#include "threads.hpp"

namespace banzuke::memory {
namespace {

TEST(Chases, VisitAllLinesOfEachThreadWhateverTheOrderAndPages) {
  omp_set_num_threads(2);
  for (const auto* order : {"across", "within"}) {
    for (const auto* pages : {"usual", "base"}) {
      Chases chases({.test = "latency", .order = order, .data_pages = pages, .max_size = 65536});
      for (const std::int64_t size : {128, 4096, 6144, 65536}) {
        EXPECT_EQ(chases.prepare(size), 0);
        EXPECT_GT(chases.run(1001), 0.0);
        EXPECT_EQ(chases.wrong(), 0) << order << ' ' << size;
      }
    }
  }
}

TEST(Loops, AreRightForEachThread) {
  omp_set_num_threads(2);
  for (const auto* loop : {"load", "store", "copy", "triad"}) {
    Loops loops({.loop = loop, .max_size = 65536});
    for (const std::int64_t size : {4096, 65536}) {
      EXPECT_EQ(loops.prepare(size), 0);
      EXPECT_GT(loops.run(11), 0.0);
      EXPECT_EQ(loops.wrong(), 0) << loop << ' ' << size;
    }
  }
}

TEST(Gathers, AreRightForEachThread) {
  omp_set_num_threads(2);
  Gathers gathers({.test = "gather", .max_size = 65536});
  for (const std::int64_t size : {128, 6144, 65536}) {
    EXPECT_EQ(gathers.prepare(size), 0);
    EXPECT_GT(gathers.run(7), 0.0);
    EXPECT_GT(gathers.run(1000), 0.0);
    EXPECT_EQ(gathers.wrong(), 0) << size;
  }
}

TEST(ThreadData, OnBasePagesHasNoHugeOnes) {
  omp_set_num_threads(1);
  constexpr std::int64_t size = std::int64_t{64} << 20U;
  const auto fraction = [](bool base) {
    ThreadData data(size, base);
    data.on_each([](std::size_t, std::byte* start) { std::fill_n(start, size, std::byte{1}); });
    const Json::Object conditions = data.conditions();
    return huge_page_fraction();
  };
  if (fraction(false) < 0.5) GTEST_SKIP() << "hardware: this kernel gives no huge pages";
  EXPECT_LT(fraction(true), 0.5);
}

TEST(Sizes, AreTwoAnOctaveAndThoseOfTheCaches) {
  const Params params{.min_size = 4096, .max_size = 16384};
  EXPECT_EQ(sizes(params), (std::vector<std::int64_t>{4096, 6144, 8192, 12288, 16384}));
  EXPECT_EQ(sizes(params, {5000, 8192, 100, 99999}), (std::vector<std::int64_t>{4096, 5000, 6144, 8192, 12288, 16384}));
}

std::string refusal(const Params& params, int ranks = 1) {
  omp_set_num_threads(1);
  try {
    problem(params, ranks);
  } catch (const UsageError& error) {
    return std::string(error.what()) + ". " + error.remedy();
  }
  return "";
}

TEST(Problem, RefusesSizesBelowACacheLine) {
  const std::string two_lines = std::to_string(2 * cache_line());
  EXPECT_NE(refusal({.test = "latency", .min_size = 32}).find("min_size=" + two_lines), std::string::npos);
  EXPECT_NE(refusal({.test = "bandwidth", .loop = "triad", .min_size = 1024}).find("min_size=1536"), std::string::npos);
  EXPECT_EQ(refusal({.test = "latency", .min_size = 2 * cache_line()}), "");
  const std::string below = refusal({.test = "latency", .max_size = 32});
  EXPECT_NE(below.find("two cache lines of"), std::string::npos) << below;
  EXPECT_NE(below.find("Nearest: min_size=" + two_lines + " max_size=" + two_lines), std::string::npos) << below;
  EXPECT_EQ(refusal({.test = "latency", .min_size = 2 * cache_line(), .max_size = 2 * cache_line()}), "");
  EXPECT_EQ(refusal({.test = "bandwidth", .loop = "load", .min_size = 512}), "");
}

TEST(Problem, RefusesAnEmptyRangeOfSizes) {
  EXPECT_NE(refusal({.min_size = 8192, .max_size = 4096}).find("max_size=16384"), std::string::npos);
}

TEST(Problem, RefusesPairsOfOneProcessor) {
  EXPECT_NE(refusal({.test = "pairs"}, 1).find("Nearest: 2 ranks"), std::string::npos);
  EXPECT_EQ(refusal({.test = "pairs"}, 2), "");
}

TEST(Problem, RefusesAnInstructionSetThatTheProcessorLacks) {
#if defined(__x86_64__)
  const std::string foreign = "sve";
#else
  const std::string foreign = "avx2";
#endif
  EXPECT_NE(refusal({.test = "bandwidth", .isa = foreign}).find("Nearest: isa=widest"), std::string::npos);
  EXPECT_EQ(refusal({.test = "bandwidth", .isa = "plain"}), "");
}

TEST(Problem, RefusesMorePartnersThanThereAre) {
  omp_set_num_threads(1);
  EXPECT_NE(refusal({.test = "pairs", .partners = 9}, 2).find("Nearest: partners=1"), std::string::npos);
  EXPECT_EQ(refusal({.test = "pairs", .partners = 1}, 2), "");
}

TEST(Problem, HasAsManyPairsAsAreMet) {
  omp_set_num_threads(1);
  const auto pairs = [](std::int64_t partners, int ranks) {
    return problem({.test = "pairs", .partners = partners}, ranks).facts.front().second.dump();
  };
  EXPECT_EQ(pairs(0, 2), "1");
  EXPECT_EQ(pairs(0, 3), "3");
  EXPECT_EQ(pairs(0, 256), "32640");
  EXPECT_EQ(pairs(0, 1024), "32768");
  EXPECT_EQ(pairs(3, 16), "24");
}

TEST(Problem, HasTheDataOfAllThreads) {
  omp_set_num_threads(3);
  EXPECT_GE(problem({.max_size = 1 << 20}, 1).footprint, 3 << 20);
}

}  // namespace
}  // namespace banzuke::memory
