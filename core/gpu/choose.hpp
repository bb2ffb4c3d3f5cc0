// Which of the visible devices this process uses.
#pragma once

#include <vector>

#include "core/gpu/device.hpp"

namespace banzuke::gpu {

// All that it was given, in that order; else the one of its position among the ranks of its host, which share devices
// in turn. Noted for the record. Throws NoDeviceError for one that is not visible.
std::vector<DeviceInfo> given();

// All that it was given, else all that are visible; none is noted: of programs that choose among them, and say
// themselves which they use. Throws NoDeviceError for one that is not visible.
std::vector<DeviceInfo> offered();

// The first of those given, which is current from then on.
DeviceInfo use_given();

// Bytes that the library of a device takes of the host's memory, roughly.
inline constexpr double host_footprint = 512e6;

}  // namespace banzuke::gpu
