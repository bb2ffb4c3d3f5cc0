#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "transfer.hpp"

namespace banzuke::transfer {
namespace {

std::vector<std::byte> filled(const Key& key, std::int64_t slot, std::int64_t number, std::size_t size) {
  std::vector<std::byte> data(size);
  fill(data, key, slot, number);
  return data;
}

TEST(Data, IsRecognisedAndNothingElseIs) {
  constexpr Key key{.size = 1000, .round = 1, .from = -1, .to = 0};
  const auto data = filled(key, 3, 2, 1000);
  EXPECT_EQ(wrong(data, key, 3, 2), 0);
  for (const Key& other :
       {Key{.size = 1001, .round = 1, .from = -1, .to = 0}, Key{.size = 1000, .round = 0, .from = -1, .to = 0},
        Key{.size = 1000, .round = 1, .from = 0, .to = -1}, Key{.size = 1000, .round = 1, .from = -1, .to = 1}}) {
    EXPECT_GT(wrong(data, other, 3, 2), 900);
  }
  EXPECT_GT(wrong(data, key, 4, 2), 900);
  EXPECT_GT(wrong(data, key, 3, 1), 900);
  EXPECT_GT(wrong(std::span(data).subspan(1), key, 3, 2), 900) << "shifted";
  EXPECT_GT(wrong(std::vector<std::byte>(1000, std::byte{untouched}), key, 3, 2), 900) << "never arrived";
  for (const std::size_t at : {std::size_t{0}, std::size_t{499}, std::size_t{999}}) {
    auto other = data;
    other[at] ^= std::byte{0x10};
    EXPECT_EQ(wrong(other, key, 3, 2), 1) << at;
  }
}

TEST(Slots, DoNotOverlapAndHaveGapsAndAreCheckedAtOnce) {
  for (std::int64_t size = 1; size <= std::int64_t{1} << 30U; size *= 2) {
    for (const std::int64_t copies : {1, 4, 64}) {
      const Slots found = slots(size, copies);
      EXPECT_GT(found.stride, found.size);
      EXPECT_EQ(found.stride % 256, 0) << "kernels move 16 bytes at once";
      EXPECT_GE(found.count, 1);
      EXPECT_LE(found.count, copies);
      EXPECT_TRUE(found.count == 1 || found.bytes() <= most_checked);
      EXPECT_EQ(found.offset(found.count), 0);
    }
  }
}

TEST(Copies, AreNoMoreThanADevicesQueueHoldsBack) {
  for (const auto* path : {"pinned", "kernel", "staged", "pipelined", "peer", "peer-read"}) {
    for (const auto* direction : {"to-device", "both"}) {
      Params params;
      params.path = path;
      params.direction = direction;
      params.chunk = 1 << 20;
      for (const auto size : sizes(params)) {
        const auto number = copies(params, size);
        EXPECT_GE(number, 2);
        const auto queued = number * operations(params, size) * (params.direction == "both" ? 2 : 1);
        EXPECT_TRUE(!held(params, size) || queued <= most_held) << path << ' ' << size;
      }
      EXPECT_TRUE(held(params, 1)) << "the host's calls take longer than a small copy";
    }
  }
}

TEST(Copies, ThatBlockTheHostAreNotHeldBack) {
  for (const auto* path : {"pageable", "nccl"}) {
    Params params;
    params.path = path;
    for (const auto size : sizes(params)) EXPECT_FALSE(held(params, size)) << path;
  }
}

TEST(Operations, OfAPipelineGrowWithItsChunks) {
  Params params;
  params.path = "pipelined";
  params.chunk = 100;
  EXPECT_EQ(operations(params, 100), 6);
  EXPECT_EQ(operations(params, 101), 12);
  params.path = "staged";
  EXPECT_EQ(operations(params, 101), 6);
}

TEST(Buffers, HoldEverySize) {
  Params params;
  for (const std::int64_t most : {1, 1000, 1 << 20, 1 << 28}) {
    params.max_size = most;
    for (const auto size : sizes(params)) {
      EXPECT_GE(buffer_bytes(params), slots(size, copies(params, size)).bytes()) << size;
    }
  }
}

std::string refusal(const Params& params, int ranks = 1) {
  try {
    problem(params, ranks);
  } catch (const UsageError& error) {
    return error.what() + (" " + error.remedy());
  }
  return "";
}

TEST(Calls, ThatMeanNothingAreRefusedWithTheNearest) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_NE(refusal({}, 2).find("Nearest: 1 rank"), std::string::npos) << refusal({}, 2);
  for (const auto* path : {"staged", "pipelined", "peer", "peer-write", "peer-read", "nccl", "local"}) {
    Params params;
    params.path = path;
    params.direction = "to-host";
    EXPECT_NE(refusal(params).find("Nearest: direction=to-device"), std::string::npos) << path;
    params.test = "pairs";
    EXPECT_EQ(refusal(params), "") << "pairs have no path of their own";
  }
  for (const auto* path : {"pageable", "local"}) {
    Params params;
    params.path = path;
    params.direction = "both";
    EXPECT_NE(refusal(params).find("path=pinned"), std::string::npos) << path;
  }
  Params params;
  params.test = "latency";
  params.direction = "both";
  EXPECT_NE(refusal(params), "");
  params = {};
  params.min_size = 5;
  params.max_size = 7;
  EXPECT_NE(refusal(params).find("from min_size 5 to max_size 7"), std::string::npos);
}

TEST(Footprint, IsOfBothEnds) {
  Params params;
  const auto one = problem(params, 1);
  params.direction = "both";
  const auto both = problem(params, 1);
  EXPECT_DOUBLE_EQ(both.device_footprint, 2.0 * one.device_footprint);
  EXPECT_GE(one.device_footprint, static_cast<double>(params.max_size));
  params.path = "peer";
  EXPECT_DOUBLE_EQ(problem(params, 1).device_footprint, both.device_footprint);
  EXPECT_LT(problem(params, 1).footprint, both.footprint) << "nothing lies in the host's memory";
}

}  // namespace
}  // namespace banzuke::transfer
