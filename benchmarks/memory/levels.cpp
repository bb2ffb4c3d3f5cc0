#include "levels.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <string_view>

#include "core/cpulist.hpp"
#include "core/parameters.hpp"

namespace banzuke::memory {
namespace {

std::string line_of(const std::string& file) {
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

std::vector<Cache> caches_of(int processor, const std::string& root) {
  std::vector<Cache> caches;
  for (int index = 0;; ++index) {
    const std::string folder = root + "/cpu" + std::to_string(processor) + "/cache/index" + std::to_string(index) + '/';
    const std::string type = line_of(folder + "type");
    if (type.empty()) break;
    const std::int64_t bytes = bytes_of(line_of(folder + "size"));
    const std::int64_t level = bytes_of(line_of(folder + "level"));
    if (type == "Instruction" || bytes == 0 || level < 1 || level > 9) continue;
    Cache cache{.level = static_cast<int>(level), .bytes = bytes};
    try {
      cache.shared_by = parse_list(line_of(folder + "shared_cpu_list"));
    } catch (const UsageError&) {
      cache.shared_by = {processor};  // the kernel gives no list
    }
    caches.push_back(cache);
  }
  std::ranges::sort(caches, {}, &Cache::level);
  return caches;
}

std::vector<Level> levels_of(const std::vector<std::vector<Cache>>& caches, const std::vector<int>& processors) {
  std::map<int, std::int64_t> own;  // for each level, the bytes of the thread that has the least
  for (const auto& of_one : caches) {
    for (const Cache& cache : of_one) {
      const auto users = std::ranges::count_if(
          processors, [&](int processor) { return std::ranges::count(cache.shared_by, processor) > 0; });
      const std::int64_t bytes = cache.bytes / std::max<std::int64_t>(users, 1);
      const auto [place, added] = own.try_emplace(cache.level, bytes);
      if (!added) place->second = std::min(place->second, bytes);
    }
  }
  std::vector<Level> levels;
  std::int64_t before = 0;
  for (const auto& [level, bytes] : own) {
    if (bytes / 2 >= 2 * before) levels.push_back({.number = level, .size = bytes / 2});
    before = std::max(before, bytes);
  }
  return levels;
}

}  // namespace banzuke::memory
