#include "levels.hpp"

#include <algorithm>
#include <map>

namespace banzuke::memory {

std::vector<Level> levels_of(const std::vector<std::vector<DataCache>>& caches, const std::vector<int>& processors) {
  std::map<int, std::int64_t> own;  // for each level, the bytes of the thread that has the least
  for (const auto& of_one : caches) {
    for (const DataCache& cache : of_one) {
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
