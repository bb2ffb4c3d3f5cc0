// The available devices, and the one in use, as each platform's runtime reports them (runtime.hpp).
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace banzuke::gpu {

// Says what failed, where, and the state of the device: `cannot copy 8 bytes: an illegal memory access was encountered
// (cudaErrorIllegalAddress, at copy.cpp:31; the device NVIDIA H100 (GPU-...) answers nothing more in this process)`.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// No device can be used: no driver, a driver older than the toolkit, no visible device, or one that another process
// holds.
class NoDeviceError : public Error {
 public:
  using Error::Error;
};

struct DeviceInfo {
  int number = 0;          // among those visible to this process
  std::string identity{};  // UUID, as NVML names it: "GPU-..." or "MIG-..."
  std::string name{};
  std::string bus{};  // PCI address, "0000:3b:00.0"
  std::size_t memory = 0;
  std::size_t free = 0;
  std::size_t l2_cache = 0;
  double memory_rate = 0.0;  // theoretical B/s: width x highest clock x 2; 0: unknown
  int multiprocessors = 0;
  std::string architecture{};  // "sm_90", "gfx942"
};

// "CUDA 13.0, driver 580.95 (CUDA 13.0)"; HIP likewise.
std::string platform();
// All devices visible to this process. Throws NoDeviceError.
std::vector<DeviceInfo> devices();
// Selects the device that this thread uses from now on. Throws NoDeviceError if another process holds it.
void use(int number);
DeviceInfo current();

}  // namespace banzuke::gpu
