// The data sizes that fit in each of the machine's caches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/caches.hpp"

namespace banzuke::memory {

struct Level {
  int number = 0;
  std::int64_t size = 0;  // bytes of each thread's data at this level

  std::string name() const { return 'l' + std::to_string(number); }
};

// Returns the levels for processors with one thread each, all using their own data at once. A thread's data takes half
// of its share of the cache, if that is at least twice the previous cache, so that the previous one holds little of the
// data.
std::vector<Level> levels_of(const std::vector<std::vector<DataCache>>& caches, const std::vector<int>& processors);

}  // namespace banzuke::memory
