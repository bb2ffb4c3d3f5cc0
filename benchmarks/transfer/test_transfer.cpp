#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "core/devices.hpp"
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

TEST(Chunks, AreAFewWherePipelinesAreLeftToTheProgram) {
  Params params;
  EXPECT_TRUE(chunks(params).empty());
  params.path = "pipelined";
  for (std::int64_t most = 1; most <= std::int64_t{1} << 30U; most *= 2) {
    params.max_size = most;
    const auto tried = chunks(params);
    ASSERT_FALSE(tried.empty());
    EXPECT_LE(tried.size(), 4U);
    EXPECT_TRUE(std::ranges::is_sorted(tried));
    EXPECT_TRUE(tried.size() == 1 || 2 * tried.back() <= most) << "one piece is no pipeline";
    EXPECT_LE(tried.back(), most);
    for (const auto chunk : tried) {
      EXPECT_GE(problem(params, 1).footprint, problem(with_chunk(params, chunk), 1).footprint) << chunk;
      EXPECT_GE(problem(params, 1).device_footprint, problem(with_chunk(params, chunk), 1).device_footprint) << chunk;
    }
  }
  params.chunk = 1000;
  EXPECT_EQ(chunks(params), std::vector<std::int64_t>{1000});
  params.test = "pairs";
  EXPECT_TRUE(chunks(params).empty());
}

// How the program refuses a call with these values, or else the parameters of its record.
struct Settled {
  std::string refused{};
  std::string values{};
};
Settled settled(const std::vector<std::pair<std::string, std::string>>& values) {
  Params params;
  Parameters parameters;
  declare(parameters, params);
  for (const auto& [name, value] : values) parameters.set(name, value);
  try {
    settle(parameters, params);
  } catch (const UsageError& error) {
    return {.refused = error.what() + (" " + error.remedy())};
  }
  return {.values = parameters.values().dump()};
}

TEST(Parameters, ThatACallHasNoUseForAreRefusedWhereTheyWereSet) {
  using Values = std::vector<std::pair<std::string, std::string>>;
  for (const auto* name : {"path", "direction", "other", "min_size", "chunk", "samples"}) {
    const std::string value = name == std::string("path") ? "peer" : name == std::string("direction") ? "both" : "4";
    EXPECT_TRUE(settled({{"test", "pairs"}, {name, value}}).refused.starts_with(std::string(name) + ": test pairs"));
  }
  EXPECT_EQ(settled({{"chunk", "4"}}).refused,
            "chunk: path pinned has no chunks, only pipelined has Nearest: path=pipelined, or leave out chunk");
  EXPECT_EQ(settled({{"other", "2"}, {"path", "local"}}).refused,
            "other: path local has no second device Nearest: path=peer, or leave out other");
  EXPECT_EQ(settled({{"rounds", "0"}}).refused,
            "rounds: test bandwidth has no use for it, only pairs has Nearest: test=pairs, or leave out rounds");
  EXPECT_EQ(settled({{"max_size", "1048577"}, {"test", "latency"}}).refused,
            "max_size: 1048577 is more than 1048576, the most of test latency Nearest: max_size=1048576, or leave out "
            "max_size");
  for (const Values& used : {Values{{"path", "pipelined"}, {"chunk", "4"}, {"other", "2"}},
                             Values{{"test", "pairs"}, {"rounds", "2"}, {"max_size", "67108864"}},
                             Values{{"test", "latency"}, {"max_size", "1048576"}, {"samples", "3"}}}) {
    EXPECT_EQ(settled(used).refused, "");
  }
}

TEST(Parameters, ThatACallHasNoUseForAreNotRecorded) {
  EXPECT_EQ(settled({{"test", "pairs"}}).values, R"({"test":"pairs","rounds":0})");
  EXPECT_EQ(settled({}).values, R"({"test":"bandwidth","path":"pinned","direction":"to-device","min_size":1,)"
                                R"("max_size":268435456,"samples":7})");
  EXPECT_EQ(settled({{"test", "latency"}, {"path", "peer"}}).values,
            R"({"test":"latency","path":"peer","direction":"to-device","other":1,"min_size":1,"samples":7})");
  EXPECT_EQ(settled({{"path", "pipelined"}, {"max_size", "8"}}).values,
            R"({"test":"bandwidth","path":"pipelined","direction":"to-device","other":1,"min_size":1,"max_size":8,)"
            R"("chunk":0,"samples":7})");
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
  EXPECT_NE(refusal(params).find("Nearest: min_size=4 or max_size=8"), std::string::npos) << refusal(params);
  params.min_size = params.max_size = 3;
  EXPECT_NE(refusal(params).find("Nearest: min_size=2 or max_size=4"), std::string::npos) << refusal(params);
  params.min_size = (std::int64_t{1} << 30U) - 1;
  params.max_size = 5;
  EXPECT_NE(refusal(params).find("Nearest: min_size=4 or max_size=1073741824"), std::string::npos) << refusal(params);
  params.test = "latency";
  EXPECT_TRUE(refusal(params).ends_with("Nearest: min_size=4")) << refusal(params);
}

class WithDevices : public ::testing::Test {
 protected:
  void TearDown() override { give_devices({}); }
};

TEST_F(WithDevices, OneThatThereIsNotIsRefused) {
  Params params;
  params.path = "peer";
  params.other = 5;
  EXPECT_EQ(refusal(params), "") << "which there are is not known";
  give_devices({.identities = {"GPU-a", "GPU-b", "GPU-c"}});
  EXPECT_EQ(refusal(params),
            "other: there is no device 5, because 3 are given: 0 GPU-a, 1 GPU-b, 2 GPU-c Nearest: other=2");
  params.other = 2;
  EXPECT_EQ(refusal(params), "");
  give_devices({.identities = {"GPU-a"}});
  EXPECT_EQ(refusal(params), "path peer is between two devices, but 1 is given: 0 GPU-a Nearest: path=pinned");
  EXPECT_EQ(refusal({}), "");
}

TEST_F(WithDevices, MoreThanThereAreCannotBeMet) {
  Params params;
  params.test = "pairs";
  params.other = 5;
  give_devices({.identities = {"GPU-a", "GPU-b"}});
  EXPECT_EQ(refusal(params), "");
  params.rounds = 1;
  EXPECT_EQ(refusal(params), "");
  params.rounds = 2;
  EXPECT_EQ(refusal(params),
            "rounds: a device cannot meet 2 others, because 2 are given: 0 GPU-a, 1 GPU-b Nearest: rounds=1");
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
