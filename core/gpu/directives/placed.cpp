#include "core/gpu/directives/placed.hpp"

namespace banzuke::gpu::directives {
namespace {

std::string named(const DeviceInfo& device) { return device.name + " (" + device.identity + ")"; }

}  // namespace

void require_seen(const DeviceInfo& device, const Placed& placed) {
  if (device.number < placed.devices) return;
  throw NoDeviceError("the runtime of " + placed.model + " sees " + std::to_string(placed.devices) +
                      " devices, and NVIDIA's driver has " + named(device) + " as number " +
                      std::to_string(device.number) +
                      ": install the runtime's plugin where the loader finds it, GCC's libgomp-plugin-nvptx.so.1 "
                      "(Debian: libgomp-plugin-nvptx1) or Clang's libomptarget.rtl.cuda.so, and unset "
                      "OMP_TARGET_OFFLOAD and ACC_DEVICE_TYPE; GOMP_DEBUG=1 or LIBOMPTARGET_DEBUG=1 says more");
}

void require_on(const DeviceInfo& device, const Placed& placed) {
  if (placed.on_host) {
    throw NoDeviceError("regions of " + placed.model + " run on the processor and not on " + named(device) +
                        ": this program has no code for the device. Build it with a compiler that offloads to it");
  }
  if (placed.memory_of != device.identity) {
    throw NoDeviceError("the memory of " + placed.model + " is that of " +
                        (placed.memory_of.empty() ? "the processors" : placed.memory_of) + " and not of " +
                        named(device) +
                        ": the runtime counts devices in another order. Name one device alone in "
                        "CUDA_VISIBLE_DEVICES");
  }
}

}  // namespace banzuke::gpu::directives
