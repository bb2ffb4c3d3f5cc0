// Reads back where directives really ran, because without a device they silently fall back to the processor.
#pragma once

#include <string>

#include "core/gpu/device.hpp"

namespace banzuke::gpu::directives {

struct Placed {
  std::string model;
  int devices = 0;          // number that the runtime sees
  bool on_host = true;      // whether a region ran on the processor
  std::string memory_of{};  // identity of the device whose memory it allocated; empty: host memory
};

// Throws NoDeviceError if the runtime does not see the device.
void require_seen(const DeviceInfo& device, const Placed& placed);
// Throws NoDeviceError if they did not run on the device.
void require_on(const DeviceInfo& device, const Placed& placed);

}  // namespace banzuke::gpu::directives
