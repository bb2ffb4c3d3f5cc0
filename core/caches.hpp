// The caches that the machine reports. The C library does not know them in virtual machines: on one with 32 MB of last
// cache it said 320.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace banzuke {

// A data cache, as seen by one of the processors that share it.
struct DataCache {
  int level = 0;
  std::int64_t bytes = 0;
  std::vector<int> shared_by{};  // processors
};

// Returns a processor's caches in the order of their levels, from the files at `root`; empty if unknown.
std::vector<DataCache> caches_of(int processor, const std::string& root = "/sys/devices/system/cpu");
// Converts the kernel's notation, "32K" or "16M", to bytes; 0 if it is not in that notation.
std::int64_t bytes_of(const std::string& text);

}  // namespace banzuke
