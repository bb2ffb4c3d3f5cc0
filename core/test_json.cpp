#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "core/json.hpp"

namespace banzuke {
namespace {

TEST(Json, KeepsOrderAndNests) {
  const Json value = Json::object({{"b", 1}, {"a", Json::array(std::vector<double>{0.5, 2})}, {"n", Json()}});
  EXPECT_EQ(value.dump(), R"({"b":1,"a":[0.5,2],"n":null})");
}

TEST(Json, NumbersReadBackEqual) {
  for (const double value : {0.1, 1e300, 5e-324, 1.0 / 3.0, -0.0, 123456789.123456789}) {
    EXPECT_EQ(std::strtod(Json(value).dump().c_str(), nullptr), value);
  }
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
}

TEST(Json, WhatIsNotFiniteIsNull) {
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, EscapesText) {
  EXPECT_EQ(Json("a\"b\\c\n\x01").dump(), R"("a\"b\\c\u000a\u0001")");
  EXPECT_EQ(Json("\xC2\xB5s \xE6\x97\xA5").dump(), "\"\xC2\xB5s \xE6\x97\xA5\"");
}

TEST(Json, BytesThatAreNotUtf8AreReplaced) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(Json("a\xFF"
                 "b")
                .dump(),
            "\"a" + replacement + "b\"");
  EXPECT_EQ(Json("\xE6\x97").dump(), "\"" + replacement + replacement + "\"");
  EXPECT_EQ(Json("\xC0\x80").dump(), "\"" + replacement + replacement + "\"");
}

}  // namespace
}  // namespace banzuke
