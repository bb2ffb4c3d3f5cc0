// How many processors this process may use, as control groups and the scheduler say.
#pragma once

#include <filesystem>
#include <optional>

namespace banzuke {

// Processors' time per time that the control groups of this process allow, of both versions; none: no limit.
std::optional<double> quota(const std::filesystem::path& root);
// Processors that the scheduler may choose for it.
std::optional<double> allowed(const std::filesystem::path& root);

}  // namespace banzuke
