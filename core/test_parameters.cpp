#include <gtest/gtest.h>

#include "core/cpulist.hpp"
#include "core/parameters.hpp"

namespace banzuke {
namespace {

struct Declared : ::testing::Test {
  Declared() {
    parameters.add("n", n, "a size", {.min = 1, .max = 100});
    parameters.add("x", x, "a factor");
    parameters.add("share", share, "a share", {.min = 0.0, .max = 1.0});
    parameters.add("mode", mode, "a choice", {"fast", "slow"});
  }

  std::int64_t n = 7;
  double x = 0.5;
  double share = 0.25;
  std::string mode = "fast";
  Parameters parameters;
};

TEST_F(Declared, SetsValues) {
  parameters.set("n", "100");
  parameters.set("x", "-1e3");
  parameters.set("mode", "slow");
  EXPECT_EQ(n, 100);
  EXPECT_EQ(x, -1000.0);
  EXPECT_EQ(mode, "slow");
  EXPECT_EQ(parameters.values().dump(), R"({"n":100,"x":-1000,"share":0.25,"mode":"slow"})");
}

TEST_F(Declared, RefusesWhatDoesNotFit) {
  for (const auto* text : {"0", "101", "1.5", "", "12x", " 1", "99999999999999999999"}) {
    EXPECT_THROW(parameters.set("n", text), UsageError) << text;
  }
  for (const auto* text : {"nan", "inf", "", "1,5"}) EXPECT_THROW(parameters.set("x", text), UsageError) << text;
  for (const auto* text : {"-0.1", "1.1"}) EXPECT_THROW(parameters.set("share", text), UsageError) << text;
  EXPECT_THROW(parameters.set("mode", "medium"), UsageError);
  EXPECT_THROW(parameters.set("nn", "1"), UsageError);
  EXPECT_EQ(n, 7);
}

TEST_F(Declared, SaysWhatIsAllowed) {
  try {
    parameters.set("n", "101");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "n: 101 is outside 1 to 100");
    EXPECT_EQ(error.remedy(), "Nearest: n=100");
  }
}

TEST_F(Declared, KnowsWhatTheCallerHasSet) {
  parameters.set("n", "7");
  EXPECT_TRUE(parameters.given("n"));
  EXPECT_THROW(parameters.set("x", "no number"), UsageError);
  EXPECT_FALSE(parameters.given("x"));
  EXPECT_FALSE(parameters.given("nn"));
}

TEST_F(Declared, RefusesWhatIsOfNoUseWhereItWasSetAndElseLeavesItOut) {
  parameters.unused("share", "is of mode slow alone", {{{"mode", "slow"}}});
  EXPECT_EQ(parameters.values().dump(), R"({"n":7,"x":0.5,"mode":"fast"})");
  EXPECT_NE(parameters.describe().dump().find(R"("name":"share")"), std::string::npos) << "it is a parameter still";
  parameters.set("share", "0.25");
  const auto refused = [&](std::vector<Json::Object> nearest) -> std::string {
    try {
      parameters.unused("share", "is of mode slow alone", std::move(nearest));
    } catch (const UsageError& error) {
      EXPECT_STREQ(error.what(), "share: is of mode slow alone");
      EXPECT_EQ(error.without(), "share");
      return error.remedy();
    }
    return "";
  };
  EXPECT_EQ(refused({{{"mode", "slow"}}}), "Nearest: mode=slow, or leave out share");
  EXPECT_EQ(refused({}), "Leave out share");
}

TEST_F(Declared, Describes) {
  EXPECT_EQ(parameters.describe().dump(),
            R"([{"name":"n","type":"integer","help":"a size","value":7,"minimum":1,"maximum":100},)"
            R"({"name":"x","type":"number","help":"a factor","value":0.5},)"
            R"({"name":"share","type":"number","help":"a share","value":0.25,"minimum":0,"maximum":1},)"
            R"({"name":"mode","type":"string","help":"a choice","value":"fast","choices":["fast","slow"]}])");
}

TEST(CpuList, ReadsAndWritesTheKernelsFormat) {
  EXPECT_EQ(parse_list("0-2,8,4"), (std::vector<int>{0, 1, 2, 4, 8}));
  EXPECT_EQ(parse_list("3,3"), std::vector<int>{3});
  EXPECT_EQ(format_list({8, 2, 1, 0, 2}), "0-2,8");
  EXPECT_EQ(format_list({}), "");
  EXPECT_EQ(parse_list("0-9:2/4,20"), (std::vector<int>{0, 1, 4, 5, 8, 9, 20}));
  EXPECT_EQ(format_list({0, 8, 16, 24, 25}), "0-16:1/8,24-25");
  EXPECT_EQ(format_list({0, 1, 4, 5, 8, 9, 20}), "0-9:2/4,20");
  EXPECT_EQ(format_list({0, 8}), "0,8");
  for (const auto* text :
       {"", "a", "-1", "1-", "1,,2", "2-1x", "1-99999999999", "0:1/2", "0-9:1", "0-9:3/2", "0-9:0/2", "0-9:1/0"}) {
    EXPECT_THROW(parse_list(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace banzuke
