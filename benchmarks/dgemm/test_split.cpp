#include <gtest/gtest.h>

#include <string>

#include "split.hpp"

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
  EXPECT_EQ(refusal({}, 1),
            "split: one group has nobody to share the product with; Nearest: 2 ranks, or leave out split");
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

}  // namespace
}  // namespace banzuke::dgemm
