// Tests every path, on emulated or real devices; paths between two devices only if there are two.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "core/agreement.hpp"
#include "core/gpu/choose.hpp"
#include "transfer.hpp"

namespace banzuke::transfer {
namespace {

// Set before the emulated devices are first used; it has no effect on real ones.
[[maybe_unused]] const int several = setenv("BANZUKE_EMULATED_DEVICES", "3", 0);

struct Way {
  const char* path;
  const char* direction;
};

class Paths : public ::testing::TestWithParam<Way> {
 protected:
  static Params params(const char* test) {
    Params params;
    params.test = test;
    params.path = GetParam().path;
    params.direction = GetParam().direction;
    params.max_size = std::int64_t{1} << 19U;
    params.chunk = 25'000;  // so that no size is a multiple of it
    params.samples = 3;
    return params;
  }
};

TEST_P(Paths, BringEveryByteAtEverySize) {
  const Params all = params("bandwidth");
  try {
    Transfers transfers(all);
    Watch watch;
    for (const auto size : sizes(all)) {
      const auto [seconds, wrong] = transfers.timed(size, watch);
      EXPECT_EQ(wrong, 0) << size;
      ASSERT_EQ(seconds.size(), 3U);
      for (const double one : seconds) EXPECT_GT(one, 0.0) << size;
    }
    for (const auto& check : transfers.checks()) EXPECT_TRUE(check.passed()) << check.text();
    const auto asked = transfers.demand(100.0);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].amount, all.path == "local" ? 200.0 : 100.0);
  } catch (const Unsupported& error) {
    GTEST_SKIP() << error.what();
  }
}

class Latencies : public Paths {};

TEST_P(Latencies, AreOfOneCopy) {
  const Params all = params("latency");
  try {
    Transfers transfers(all);
    Watch watch;
    const auto [seconds, wrong] = transfers.timed(8, watch);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(seconds.size(), static_cast<std::size_t>(latency_samples(all)));
  } catch (const Unsupported& error) {
    GTEST_SKIP() << error.what();
  }
}

constexpr std::array one_way{Way{"pageable", "to-device"},   Way{"pageable", "to-host"},    Way{"pinned", "to-device"},
                             Way{"pinned", "to-host"},       Way{"kernel", "to-device"},    Way{"kernel", "to-host"},
                             Way{"staged", "to-device"},     Way{"pipelined", "to-device"}, Way{"peer", "to-device"},
                             Way{"peer-write", "to-device"}, Way{"peer-read", "to-device"}, Way{"nccl", "to-device"},
                             Way{"local", "to-device"}};
constexpr std::array both_ways{Way{"pinned", "both"},    Way{"kernel", "both"}, Way{"staged", "both"},
                               Way{"pipelined", "both"}, Way{"peer", "both"},   Way{"peer-write", "both"},
                               Way{"peer-read", "both"}, Way{"nccl", "both"}};

std::string name_of(const ::testing::TestParamInfo<Way>& tested) {
  std::string name = std::string(tested.param.path) + "_" + tested.param.direction;
  for (char& letter : name) letter = letter == '-' ? '_' : letter;
  return name;
}

INSTANTIATE_TEST_SUITE_P(OneWay, Paths, ::testing::ValuesIn(one_way), name_of);
INSTANTIATE_TEST_SUITE_P(BothWays, Paths, ::testing::ValuesIn(both_ways), name_of);
INSTANTIATE_TEST_SUITE_P(OneWay, Latencies, ::testing::ValuesIn(one_way), name_of);

TEST(Matrix, HasTheHostAndEveryDevice) {
  Params params;
  params.test = "pairs";
  params.max_size = 1 << 20;
  Transfers transfers(params);
  const auto devices = static_cast<int>(transfers.devices().size());
  ASSERT_EQ(transfers.devices().size(), gpu::offered().size());
  EXPECT_EQ(transfers.devices().front(), gpu::offered().front().identity);
  Watch watch;
  for (int from = -1; from < devices; ++from) {
    for (int to = -1; to < devices; ++to) {
      if (from == to) continue;
      const auto [seconds, wrong] = transfers.timed(Ends{.from = from, .to = to}, watch);
      EXPECT_EQ(wrong, 0) << from << " to " << to;
      EXPECT_EQ(seconds.size(), static_cast<std::size_t>(matrix::samples));
      const auto asked = transfers.demand(Ends{.from = from, .to = to}, 5.0);
      ASSERT_EQ(asked.size(), 1U);
      EXPECT_EQ(asked[0].amount, 5.0);
      EXPECT_TRUE(asked[0].resource == "link.host" || (from >= 0 && to >= 0)) << asked[0].resource;
    }
  }
}

}  // namespace
}  // namespace banzuke::transfer
