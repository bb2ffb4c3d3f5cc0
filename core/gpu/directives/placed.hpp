// Where directives did what they did, read back: without a device they fall back to the processor in silence.
#pragma once

#include <string>

#include "core/gpu/device.hpp"

namespace banzuke::gpu::directives {

struct Placed {
  std::string model;
  int devices = 0;          // that its runtime sees
  bool on_host = true;      // whether a region ran on the processor
  std::string memory_of{};  // identity of the device whose memory it allocated; empty: the processors'
};

// Throws NoDeviceError where the runtime does not have the device.
void require_seen(const DeviceInfo& device, const Placed& placed);
// Throws NoDeviceError where that was not on the device.
void require_on(const DeviceInfo& device, const Placed& placed);

}  // namespace banzuke::gpu::directives
