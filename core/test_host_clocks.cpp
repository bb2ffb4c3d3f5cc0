#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/host_clocks.hpp"
#include "core/json.hpp"
#include "core/record.hpp"

namespace banzuke {
namespace {

std::string conditions(const std::vector<std::string>& hosts, const std::vector<double>& hz) {
  std::vector<Member> members;
  members.reserve(hosts.size());
  for (const auto& host : hosts) members.emplace_back().host = host;
  return Json(clock_conditions(members, hz)).dump();
}

TEST(HostClocks, AreThoseOfTheSlowestAndTheFastestHost) {
  EXPECT_EQ(conditions({"n1", "n1", "n2", "n2"}, {3e9, 1e9, 2e9, 2.2e9}),
            R"({"clock_hz":2.2e+09,"clock_host":"n2","clock_host_fastest":"n1","clock_fastest_hz":3e+09})");
}

TEST(HostClocks, NameNoHostWhereThereIsOne) {
  EXPECT_EQ(conditions({"n1", "n1"}, {2e9, 3e9}), R"({"clock_hz":3e+09})");
  EXPECT_EQ(conditions({}, {2e9, 3e9}), "{}");
}

}  // namespace
}  // namespace banzuke
