// Whether the calls by which files are used are the C library's.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace banzuke {

// Those of the functions that another library provides in this process, each as `fsync: /usr/lib/libeatmydata.so`. What
// LD_PRELOAD, LD_AUDIT or /etc/ld.so.preload put before the C library need not do what its name says.
std::vector<std::string> replaced(std::span<const char* const> functions);

}  // namespace banzuke
