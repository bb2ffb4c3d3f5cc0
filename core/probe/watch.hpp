// Monitors this host's accelerators while programs run on them.
#pragma once

#include <filesystem>

namespace banzuke {

// Writes a line with the devices and their energy counters, then one for each reading of a device: at once and every
// `interval` seconds, or less often if readings would take more than 1% of a core, until the end of standard input,
// SIGTERM, or until nobody reads the output any more. A device that does not respond is reported once, and tried again
// each time. Without devices, only the first line is written.
void watch_devices(const std::filesystem::path& root, double interval);

}  // namespace banzuke
