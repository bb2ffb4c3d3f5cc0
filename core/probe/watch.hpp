// What the accelerators of this host do while programs run on them.
#pragma once

#include <filesystem>

namespace banzuke {

// Writes a line with the devices and the counters of energy that they have, then one for each reading of a device: at
// once and every `interval` seconds, or less often where readings would take more than 1% of a core, until the end of
// the standard input, SIGTERM, or that nobody reads any more. A device that does not answer is told of once, and asked
// again each time. Without devices there is the first line alone.
void watch_devices(const std::filesystem::path& root, double interval);

}  // namespace banzuke
