// What this node reports about itself, as far as the kernel allows without privileges, for comparing many nodes.
//
//   type.*      what makes nodes alike: processor, sockets, cores, devices (their kinds). Excludes the amount of memory
//               and the number of devices: a node that has lost some would be of another kind, and compared with none
//   setting.*   what administrators choose: kernel, firmware, governor, ... and how many devices there are
//   link.NAME.* width, width_max (lanes), speed, speed_max (GT/s) of PCIe; rate (bit/s), state of a network port.
//               NAME has no dots: mlx5_0, eth0, nvme0, gpu0 (in the order of PCIe addresses)
//   memory.*    modules, slots, installed (GiB), speed (MT/s), empty (names of slots) if the firmware's table is
//               readable, or modules if the memory controller's driver reports them; total (GiB, rounded down);
//               corrected_errors, uncorrected_errors since boot
//   state.*     throttled (events since boot), temperature (degrees Celsius, hottest), power_cap and power_cap_max
//               (W of all packages), load, clock_maximum (Hz, lowest of the limits), uptime (s), memory_available
//               (GiB), quota and allowed (processors that this process may use)
#pragma once

#include <filesystem>

#include "core/json.hpp"

namespace banzuke {

// Values that cannot be read are absent. `root` holds `proc` and `sys`.
Json survey(const std::filesystem::path& root);

}  // namespace banzuke
