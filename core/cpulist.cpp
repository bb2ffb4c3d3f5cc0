#include "core/cpulist.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/parameters.hpp"

namespace banzuke {
namespace {

constexpr int largest = (1 << 23) - 1;  // enough for machines of eight million cores; far too few to exhaust memory
constexpr std::size_t fewest_runs = 3;  // two are as short and easier to read when written out

UsageError refused(const std::string& text) { return UsageError("'" + text + "' is not a list such as 0-3,8"); }

int parse_one(const std::string& text, const std::string& whole) {
  int value = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value < 0 || value > largest) {
    throw refused(whole);
  }
  return value;
}

}  // namespace

std::vector<int> parse_list(const std::string& text) {
  std::vector<bool> listed;  // by value
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    const auto colon = part.find(':');
    const std::string range = part.substr(0, colon);
    const auto dash = range.find('-');
    const int first = parse_one(range.substr(0, dash), text);
    const int last = dash == std::string::npos ? first : parse_one(range.substr(dash + 1), text);
    int used = 1;
    int group = 1;
    if (colon != std::string::npos) {
      const auto slash = part.find('/', colon);
      if (dash == std::string::npos || slash == std::string::npos) throw refused(text);
      used = parse_one(part.substr(colon + 1, slash - colon - 1), text);
      group = parse_one(part.substr(slash + 1), text);
      if (used < 1 || used > group) throw refused(text);
    }
    listed.resize(std::max(listed.size(), static_cast<std::size_t>(last) + 1));
    for (int value = first; value <= last; ++value) {
      if ((value - first) % group < used) listed[static_cast<std::size_t>(value)] = true;
    }
  }
  std::vector<int> values;
  for (std::size_t value = 0; value < listed.size(); ++value) {
    if (listed[value]) values.push_back(static_cast<int>(value));
  }
  if (values.empty()) throw refused(text);
  return values;
}

std::string format_list(std::vector<int> values) {
  std::ranges::sort(values);
  // NOLINTNEXTLINE(modernize-use-ranges): Clang 14, which Debian 12 has, cannot compile libstdc++'s here
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<std::pair<int, int>> runs;  // first and last
  for (const int value : values) {
    if (runs.empty() || runs.back().second + 1 != value) runs.emplace_back(value, value);
    runs.back().second = value;
  }
  std::string out;
  for (std::size_t i = 0; i < runs.size();) {
    const auto [first, last] = runs[i];
    // Equal runs at equal distances are merged.
    std::size_t end = i + 1;
    const int group = end < runs.size() ? runs[end].first - first : 0;
    while (end < runs.size() && runs[end].first - runs[end - 1].first == group &&
           runs[end].second - runs[end].first == last - first) {
      ++end;
    }
    if (end - i < fewest_runs) end = i + 1;
    if (!out.empty()) out += ',';
    out += std::to_string(first);
    if (runs[end - 1].second > first) out += '-' + std::to_string(runs[end - 1].second);
    if (end > i + 1) out += ':' + std::to_string(last - first + 1) + '/' + std::to_string(group);
    i = end;
  }
  return out;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace banzuke
