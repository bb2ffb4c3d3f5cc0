#include "core/caches.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "core/cpulist.hpp"
#include "core/parameters.hpp"

namespace banzuke {
namespace {

std::string read_line(const std::string& file) {
  std::string text;
  std::ifstream in(file);
  std::getline(in, text);
  return text;
}

}  // namespace

std::int64_t bytes_of(const std::string& text) {
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || value <= 0 || value > (std::int64_t{1} << 40U)) return 0;
  const std::string unit(rest, end);
  constexpr std::string_view units = "KMG";
  if (unit.empty()) return value;
  const auto power = units.find(unit);
  return unit.size() == 1 && power != std::string_view::npos && value < (1 << 20U) ? value << (10U * (power + 1)) : 0;
}

std::vector<DataCache> caches_of(int processor, const std::string& root) {
  std::vector<DataCache> caches;
  for (int index = 0;; ++index) {
    const std::string folder = root + "/cpu" + std::to_string(processor) + "/cache/index" + std::to_string(index) + '/';
    const std::string type = read_line(folder + "type");
    if (type.empty()) break;
    const std::int64_t bytes = bytes_of(read_line(folder + "size"));
    const std::int64_t level = bytes_of(read_line(folder + "level"));
    if (type == "Instruction" || bytes == 0 || level < 1 || level > 9) continue;
    DataCache cache{.level = static_cast<int>(level), .bytes = bytes};
    try {
      cache.shared_by = parse_list(read_line(folder + "shared_cpu_list"));
    } catch (const UsageError&) {
      cache.shared_by = {processor};  // the kernel gives no list
    }
    caches.push_back(cache);
  }
  std::ranges::sort(caches, {}, &DataCache::level);
  return caches;
}

}  // namespace banzuke
