#include "core/host_clocks.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/record.hpp"

namespace banzuke {

Json::Object clock_conditions(const std::vector<Member>& members, const std::vector<double>& hz) {
  std::map<std::string, double> by_host;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    double& highest = by_host[members[rank].host];
    highest = std::max(highest, hz[rank]);
  }
  if (by_host.empty()) return {};
  const auto clock = [](const auto& entry) { return entry.second; };
  const auto slowest = std::ranges::min_element(by_host, {}, clock);
  const auto fastest = std::ranges::max_element(by_host, {}, clock);
  Json::Object out{{"clock_hz", slowest->second}};
  if (by_host.size() > 1) {
    out.emplace_back("clock_host", slowest->first);
    out.emplace_back("clock_host_fastest", fastest->first);
    out.emplace_back("clock_fastest_hz", fastest->second);
  }
  return out;
}

}  // namespace banzuke
