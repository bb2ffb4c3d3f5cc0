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

// A processor's caches, by level, from the files at `root`. Empty: unknown.
std::vector<Cache> caches_of(int processor, const std::string& root = "/sys/devices/system/cpu");
// Bytes from the kernel's notation: "32K", "16M"; 0: not in that notation.
std::int64_t bytes_of(const std::string& text);

struct Level {
  int number = 0;
  std::int64_t size = 0;  // bytes of each thread's data at this level

  std::string name() const { return 'l' + std::to_string(number); }
};

// The levels for processors with one thread each, all using their own data at once: each uses half of its share of the
// cache, if that is at least twice the previous cache, so that little of the data is there.
std::vector<Level> levels_of(const std::vector<std::vector<Cache>>& caches, const std::vector<int>& processors);

}  // namespace banzuke::memory
