// Finds how many processors this process may use, according to control groups and the scheduler.
#pragma once

#include <filesystem>
#include <optional>

namespace banzuke {

// Returns the CPU time per wall time that this process's control groups (both versions) allow; none if there is no
// limit.
std::optional<double> quota(const std::filesystem::path& root);
// Returns the number of processors on which the scheduler may run it.
std::optional<double> allowed(const std::filesystem::path& root);

}  // namespace banzuke
