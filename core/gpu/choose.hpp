// Chooses the devices that this process uses among the visible ones.
#pragma once

#include <vector>

#include "core/gpu/device.hpp"

namespace banzuke::gpu {

// Returns the devices assigned to this process, in that order; if none are, one chosen round-robin by the rank's
// position on its host. They are noted for the record. Throws NoDeviceError for a device that is not visible.
std::vector<DeviceInfo> given();

// Returns the devices assigned to this process, else all visible ones, without noting them for the record: for programs
// that choose among them and report themselves which they use. Throws NoDeviceError for a device that is not visible.
std::vector<DeviceInfo> offered();

// Makes the first of given() current and returns it.
DeviceInfo use_given();

// Approximate bytes of host memory that a device's library takes.
inline constexpr double host_footprint = 512e6;

}  // namespace banzuke::gpu
