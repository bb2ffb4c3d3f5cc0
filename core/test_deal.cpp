#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/deal.hpp"
#include "core/parameters.hpp"

namespace banzuke {
namespace {

TEST(Deal, IsByRatesUnlessTheseAreNearlyEqual) {
  EXPECT_EQ(deal_by_rates({96e9, 100e9, 97e9}), "equal");
  EXPECT_EQ(deal_by_rates({25e9, 100e9}), "0.25:1");
}

TEST(Deal, GivesLessToPartsWithOtherThingsToDo) {
  EXPECT_EQ(shares_beside({3.0, 1.0}, {0.0, 0.0}, 8.0), (std::vector<double>{0.75, 0.25}));
  // 3 and 1 a second: all end after 3 s if the second one, which is busy for 2 s, does 1 of 10.
  EXPECT_NEAR(shares_beside({3.0, 1.0}, {0.0, 2.0}, 10.0)[1], 0.1, 1e-12);
  const std::vector<double> least = shares_beside({1.0, 1.0}, {0.0, 1000.0}, 1.0);
  EXPECT_TRUE(least[1] > 0.0 && least[1] < 0.2) << least[1];
}

TEST(Deal, IsAPositiveShareForEachPart) {
  EXPECT_EQ(given_shares("1:3", "row"), (std::vector<double>{1.0, 3.0}));
  for (const char* open : {"equal", "rates"}) EXPECT_TRUE(given_shares(open, "row").empty());
  for (const char* deal : {"", "1:", "1:0", "1:-2", "1:nan", "fast"}) {
    EXPECT_THROW(given_shares(deal, "row"), UsageError) << deal;
  }
  check_shares("1:3", 2, 2, "rows", {});
  check_shares("rates", 0, 2, "rows", {});
  try {
    check_shares("1:3", 2, 3, "rows", {{{"ranks", 2}}});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "deal: 1:3 gives 2 shares to 3 rows");
    EXPECT_EQ(error.remedy(), "Nearest: deal=rates or 2 ranks");
  }
}

TEST(Deal, TakesAPartForItsSlowestRank) {
  EXPECT_EQ(rates_of_parts({1.0, 5.0, 3.0, 4.0}, {0, 1, 0, 1}), (std::vector<double>{2.0, 8.0}));
  EXPECT_EQ(rates_of_parts({2.0, 5.0, 3.0}, {0, 0, 1}), (std::vector<double>{4.0, 3.0}));
}

TEST(Sharing, IsBoundedByTheSumOfTheRates) {
  const Sharing sharing{.sum = 4.0, .rates = {1.0, 3.0}, .shares = {20.0, 60.0}};
  ASSERT_EQ(sharing.bounds(12.0, "products").size(), 1);
  EXPECT_EQ(sharing.bounds(12.0, "products")[0].seconds, 3.0);
  EXPECT_EQ(Json(sharing.conditions("row")).dump(), R"({"sum_of_rates":4,"row_rates":[1,3],"row_shares":[0.25,0.75]})");
  EXPECT_EQ(Json(Sharing{.sum = 1.0, .rates = {1.0}, .shares = {1.0}, .limited = true}.conditions("row")).dump(),
            R"({"sum_of_rates":1,"row_rates":[1],"row_shares":[1],"row_limited":true})");
  EXPECT_TRUE(Sharing().bounds(12.0, "products").empty());
  EXPECT_TRUE(Sharing().conditions("row").empty());
}

}  // namespace
}  // namespace banzuke
