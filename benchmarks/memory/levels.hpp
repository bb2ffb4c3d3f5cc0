// The caches that the machine reports, and the data sizes that fit in each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace banzuke::memory {

// A data cache, as seen by one of the processors that share it.
struct Cache {
  int level = 0;
  std::int64_t bytes = 0;
  std::vector<int> shared_by{};  // processors
};

// Returns a processor's caches in the order of their levels, from the files at `root`; empty if unknown.
std::vector<Cache> caches_of(int processor, const std::string& root = "/sys/devices/system/cpu");
// Converts the kernel's notation, "32K" or "16M", to bytes; 0 if it is not in that notation.
std::int64_t bytes_of(const std::string& text);

struct Level {
  int number = 0;
  std::int64_t size = 0;  // bytes of each thread's data at this level

  std::string name() const { return 'l' + std::to_string(number); }
};

// Returns the levels for processors with one thread each, all using their own data at once. A thread's data takes half
// of its share of the cache, if that is at least twice the previous cache, so that the previous one holds little of the
// data.
std::vector<Level> levels_of(const std::vector<std::vector<Cache>>& caches, const std::vector<int>& processors);

}  // namespace banzuke::memory
