#include "core/cpulist.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "core/parameters.hpp"

namespace banzuke {
namespace {

constexpr int largest = 1 << 20;  // far above any processor or rank number, far below what exhausts memory

int parse_one(const std::string& text, const std::string& whole) {
  int value = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value < 0 || value > largest) {
    throw UsageError("'" + whole + "' is not a list such as 0-3,8");
  }
  return value;
}

}  // namespace

std::vector<int> parse_list(const std::string& text) {
  std::set<int> values;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    const auto dash = part.find('-');
    const int first = parse_one(part.substr(0, dash), text);
    const int last = dash == std::string::npos ? first : parse_one(part.substr(dash + 1), text);
    for (int value = first; value <= last; ++value) values.insert(value);
  }
  if (values.empty()) throw UsageError("'" + text + "' is not a list such as 0-3,8");
  return {values.begin(), values.end()};
}

std::string format_list(std::vector<int> values) {
  std::ranges::sort(values);
  std::string out;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t j = i;
    while (j + 1 < values.size() && values[j + 1] <= values[j] + 1) ++j;
    if (!out.empty()) out += ',';
    out += std::to_string(values[i]);
    if (values[j] > values[i]) out += '-' + std::to_string(values[j]);
    i = j + 1;
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
