#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/isa.hpp"

namespace banzuke {
namespace {

constexpr std::array table{Choice{Isa::avx512, 8}, Choice{Isa::avx2, 4}, Choice{Isa::plain, 2}};

bool none(Isa /*isa*/) { return false; }
bool all(Isa /*isa*/) { return true; }
bool without_512(Isa isa) { return isa != Isa::avx512; }
bool baseline(Isa isa) { return isa == Isa::plain; }

TEST(Choices, TheWidestIsTheFirstThatTheProcessorRuns) {
  EXPECT_EQ(widest(table, all), 8);
  EXPECT_EQ(widest(table, without_512), 4);
  EXPECT_EQ(widest(table, baseline), 2);
  EXPECT_THROW(widest(table, none), std::logic_error);
}

TEST(Choices, AllThatRunKeepTheirOrder) {
  EXPECT_EQ(runnable(table, all), (std::vector<int>{8, 4, 2}));
  EXPECT_EQ(runnable(table, without_512), (std::vector<int>{4, 2}));
  EXPECT_TRUE(runnable(table, none).empty());
}

TEST(Choices, EveryProcessorRunsWhatIsPlain) {
  EXPECT_TRUE(runs(Isa::plain));
  EXPECT_EQ(runnable(table).front(), widest(table));
  EXPECT_EQ(runnable(table).back(), 2);
}

#if defined(__aarch64__)
// The instruction, which the choice does not use.
int sve_bytes() {
  std::uint64_t bytes = 0;
  asm volatile(".arch_extension sve\n\tcntb %0" : "=r"(bytes));
  return static_cast<int>(bytes);
}

TEST(Choices, CodeForOneLengthOfSveRunsWithThatAlone) {
  const int bits = runs(Isa::sve) ? 8 * sve_bytes() : 0;
  EXPECT_EQ(runs(Isa::sve128), bits == 128);
  EXPECT_EQ(runs(Isa::sve256), bits == 256);
  EXPECT_EQ(runs(Isa::sve512), bits == 512);
}
#endif

}  // namespace
}  // namespace banzuke
