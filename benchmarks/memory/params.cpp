#include <algorithm>
#include <string>

#include "memory.hpp"

namespace banzuke::memory {

std::vector<std::int64_t> sizes(const Params& params, const std::vector<std::int64_t>& more) {
  const auto inside = [&](std::int64_t size) { return params.min_size <= size && size <= params.max_size; };
  std::vector<std::int64_t> all;
  for (std::int64_t power = 2; power <= params.max_size; power *= 2) {
    for (const std::int64_t size : {power, power + power / 2}) {
      if (inside(size)) all.push_back(size);
    }
  }
  for (const std::int64_t size : more) {
    if (inside(size)) all.push_back(size);
  }
  std::ranges::sort(all);
  const auto twice = std::ranges::unique(all);
  all.erase(twice.begin(), twice.end());
  return all;
}

void check_sizes(const Params& params, std::int64_t least, const std::string& why) {
  if (params.max_size < least) {
    throw UsageError("max_size: " + std::to_string(params.max_size) + " bytes are less than the " +
                         std::to_string(least) + " of test " + params.test + why,
                     {{{"min_size", least}, {"max_size", least}}});
  }
  if (params.min_size < least) {
    throw UsageError("min_size: " + std::to_string(params.min_size) + " bytes are less than the " +
                         std::to_string(least) + " of test " + params.test + why,
                     {{{"min_size", least}}});
  }
  if (!sizes(params).empty()) return;
  throw UsageError("no size is a power of two, or half as much more, from min_size " + std::to_string(params.min_size) +
                       " to max_size " + std::to_string(params.max_size),
                   {{{"max_size", 2 * params.min_size}}});
}

}  // namespace banzuke::memory
