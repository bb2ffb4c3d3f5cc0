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

// Of a processor, by level; `root` is the file system's. Empty: the machine does not say.
std::vector<Cache> caches_of(int processor, const std::string& root = "/sys/devices/system/cpu");
// Kernel's notation: "32K", "16M"; 0: it is none.
std::int64_t bytes_of(const std::string& text);

struct Level {
  int number = 0;
  std::int64_t size = 0;  // bytes of each thread's data that lie there

  std::string name() const { return 'l' + std::to_string(number); }
};

// Where processors, one of a thread each, keep data of their own at once: half of what each has of the cache, if that
// is at least twice the cache before it, so that little of it lies there.
std::vector<Level> levels_of(const std::vector<std::vector<Cache>>& caches, const std::vector<int>& processors);

}  // namespace banzuke::memory
