#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "split.hpp"
#include "trace.hpp"

namespace banzuke::dgemm {
namespace {

std::string refusal(const Params& params, int ranks) {
  try {
    check_split(params, ranks);
  } catch (const UsageError& error) {
    return std::string(error.what()) + "; " + error.remedy();
  }
  return "";
}

TEST(Split, NeedsAStripForEachGroup) {
  EXPECT_EQ(refusal({.m = 1, .n = 144, .k = 1}, 3), "");
  EXPECT_EQ(refusal({.n = 143}, 3), "n: 143 columns are less than a strip of 48 for each of 3 groups; Nearest: n=144");
}

TEST(Split, NeedsSeveralGroups) {
  for (const char* split : {"adaptive", "1:3"}) {
    EXPECT_EQ(refusal({.split = split}, 1),
              "split: one group has nobody to share the product with; Nearest: 2 ranks, or leave out split");
  }
}

TEST(Split, SharesCanBeGiven) {
  EXPECT_EQ(read_shares("1:3"), (std::vector<double>{1.0, 3.0}));
  for (const char* word : {"none", "equal", "rates", "adaptive"}) EXPECT_TRUE(read_shares(word).empty());
  EXPECT_EQ(refusal({.split = "1:3"}, 2), "");
  EXPECT_EQ(refusal({.split = "1:3"}, 3), "split: 1:3 gives 2 shares to 3 groups; Nearest: split=adaptive");
  EXPECT_EQ(refusal({.split = "1"}, 3), "split: 1 gives 1 share to 3 groups; Nearest: split=adaptive");
}

TEST(Split, AShareIsAPositiveNumber) {
  for (const char* wrong : {"1:0", "0:1", "-1:2", "1:x", "1:", ":1", "1::2", "1:nan", "1:inf", "1e15:1", "fast", ""}) {
    EXPECT_NE(refusal({.split = wrong}, 2).find("is no positive number"), std::string::npos) << wrong;
  }
  EXPECT_EQ(refusal({.split = "1:0"}, 2),
            "split: 1:0 is none of none, equal, rates, adaptive, and no share for each group, as 1:3 would be: "
            "'0' is no positive number; Nearest: split=adaptive");
}

TEST(Split, IsLeftOutWhereItWasNotAskedFor) {
  const auto values = [](const char* asked) {
    Params params;
    Parameters parameters;
    declare(parameters, params);
    if (asked != nullptr) parameters.set("split", asked);
    settle(parameters, params);
    return parameters.values().dump();
  };
  EXPECT_EQ(values(nullptr).find("split"), std::string::npos);
  EXPECT_NE(values("rates").find(R"("split":"rates")"), std::string::npos);
}

TEST(Split, PiecesAreOfSharedProductsAlone) {
  const auto complaint = [](const char* name, const char* value, const char* split) -> std::string {
    Params params;
    Parameters parameters;
    declare(parameters, params);
    parameters.set(name, value);
    parameters.set("split", split);
    try {
      settle(parameters, params);
    } catch (const UsageError& error) {
      return std::string(error.what()) + "; " + error.remedy();
    }
    return "";
  };
  EXPECT_EQ(
      complaint("overlap", "no", "none"),
      "overlap: only groups that share a product have a use for it; Nearest: split=adaptive, or leave out overlap");
  EXPECT_EQ(complaint("piece", "48", "rates"), "");
}

std::int64_t updates_of(const Trace& trace) {
  std::int64_t updates = 0;
  for (const Finished& point : trace.points()) updates += point.updates;
  return updates;
}

TEST(Trace, CallsFollowEachOther) {
  Trace trace;
  trace.add_call(std::vector<Finished>{{1.0, 96}, {2.0, 48}}, 2.0078125);  // the last one
  trace.add_call(std::vector<Finished>{{1.0, 96}}, 2.0);                   // waits
  trace.add_call({}, 1.0);                                                 // there was nothing left for it
  const std::vector<std::pair<double, std::int64_t>> wanted{
      {1.0, 96}, {2.0078125, 48}, {3.0078125, 96}, {4.0078125, 0}, {5.0078125, 0}};
  std::vector<std::pair<double, std::int64_t>> points;
  for (const auto& [seconds, updates] : trace.points()) points.emplace_back(seconds, updates);
  EXPECT_EQ(points, wanted);
}

TEST(Trace, StaysSmallAndLosesNothing) {
  for (const std::int64_t calls : {std::int64_t{30}, std::int64_t{1000}}) {
    Trace trace;
    for (std::int64_t call = 0; call < calls; ++call) {
      trace.add_call(std::vector<Finished>{{0.2, 48}, {0.4, 48}, {0.9, 48}, {1.0, 1}}, 1.0);
    }
    EXPECT_LT(trace.points().size(), Trace::most);
    EXPECT_GE(trace.points().size(), Trace::most / 2);
    EXPECT_EQ(updates_of(trace), 145 * calls);
    EXPECT_DOUBLE_EQ(trace.points().back().seconds, static_cast<double>(calls));
  }
}

}  // namespace
}  // namespace banzuke::dgemm
