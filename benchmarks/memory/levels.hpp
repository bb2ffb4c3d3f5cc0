// The caches that the machine says it has, and the sizes of data that lie in each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace banzuke::memory {

// A cache of data, as one of the processors that share it sees it.
struct Cache {
  int level = 0;
  std::int64_t bytes = 0;
  std::vector<int> shared_by{};  // processors
};

// A processor's caches, by level, as the file system says at `root`. Empty: the machine does not say.
std::vector<Cache> caches_of(int processor, const std::string& root = "/sys/devices/system/cpu");
// Bytes from the kernel's notation: "32K", "16M"; 0: it is not in that notation.
std::int64_t bytes_of(const std::string& text);

struct Level {
  int number = 0;
  std::int64_t size = 0;  // bytes of each thread's data that lie there

  std::string name() const { return 'l' + std::to_string(number); }
};

// The levels where processors, with a thread each, keep data of their own at once: half of each one's share of the
// cache, if that is at least twice the cache before it, so that little of it lies there.
std::vector<Level> levels_of(const std::vector<std::vector<Cache>>& caches, const std::vector<int>& processors);

}  // namespace banzuke::memory
