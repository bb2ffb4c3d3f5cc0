// How many processors this process may use, according to control groups and the scheduler.
#pragma once

#include <filesystem>
#include <optional>

namespace banzuke {

// CPU time per wall time that this process's control groups (both versions) allow; none: no limit.
std::optional<double> quota(const std::filesystem::path& root);
// Number of processors on which the scheduler may run it.
std::optional<double> allowed(const std::filesystem::path& root);

}  // namespace banzuke
