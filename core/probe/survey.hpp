// What this node says of itself, without privileges as far as the kernel lets, for comparing many of them.
//
//   type.*      what makes nodes alike: processor, sockets, cores, devices (kinds of them). Neither the amount of
//   memory nor
//               the number of devices, or a node that has lost some would be of another kind, and compared with none
//   setting.*   what administrators choose: kernel, firmware, governor, ... and how many devices there are
//   link.NAME.* width, width_max (lanes), speed, speed_max (GT/s) of PCIe; rate (bit/s), state of a network's port.
//   NAME has
//               no dots: mlx5_0, eth0, nvme0, gpu0 (in the order of PCIe addresses)
//   memory.*    modules, slots, installed (GiB), speed (MT/s), empty (names of slots) where the firmware's table
//   is
//               readable, or modules where the memory controller's driver tells; total (GiB, rounded down);
//               corrected_errors, uncorrected_errors since the start
//   state.*     throttled (events since the start), temperature (degrees Celsius, hottest), power_cap and power_cap_max
//   (W of
//               all packages), load, clock_maximum (Hz, lowest of the limits), uptime (s), memory_available (GiB),
//               quota and allowed (processors that this process may use)
#pragma once

#include <filesystem>

#include "core/json.hpp"

namespace banzuke {

// What cannot be read is absent. `root` holds `proc` and `sys`.
Json survey(const std::filesystem::path& root);

}  // namespace banzuke
