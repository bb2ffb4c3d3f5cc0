// Whether the calls that files are used with are those of the C library.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace banzuke {

// Of these functions those that another library serves in this process, each as `fsync: /usr/lib/libeatmydata.so`. What
// LD_PRELOAD, LD_AUDIT or /etc/ld.so.preload put before the C library need not do what its name says.
std::vector<std::string> replaced(std::span<const char* const> functions);

}  // namespace banzuke
