// Finds file calls that are not the C library's own.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace banzuke {

// Returns those of the functions that another library provides in this process, each as `fsync:
// /usr/lib/libeatmydata.so`. Functions that LD_PRELOAD, LD_AUDIT or /etc/ld.so.preload put before the C library's need
// not do what their names say.
std::vector<std::string> replaced(std::span<const char* const> functions);

}  // namespace banzuke
