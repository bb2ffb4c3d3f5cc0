// Which devices there are, and the one in use, as the runtime of each platform tells it (runtime.hpp).
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace banzuke::gpu {

// What failed, where, and the state of the device: `cannot copy 8 bytes: an illegal memory access was encountered
// (cudaErrorIllegalAddress, at copy.cpp:31; the device NVIDIA H100 (GPU-...) answers nothing more in this process)`.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// There is no device to be used: no driver, one older than the toolkit, none visible, one that another process has.
class NoDeviceError : public Error {
 public:
  using Error::Error;
};

struct DeviceInfo {
  int number = 0;          // among those that this process sees
  std::string identity{};  // UUID, as NVML names it: "GPU-..." or "MIG-..."
  std::string name{};
  std::string bus{};  // PCI address, "0000:3b:00.0"
  std::size_t memory = 0;
  std::size_t free = 0;
  std::size_t l2_cache = 0;
  double memory_rate = 0.0;  // B/s in theory: width x highest clock x 2; 0: unknown
  int multiprocessors = 0;
  std::string architecture{};  // "sm_90", "gfx942"
};

// "CUDA 13.0, driver 580.95 (CUDA 13.0)"; of HIP alike.
std::string platform();
// All that this process sees. Throws NoDeviceError.
std::vector<DeviceInfo> devices();
// The device that this thread works with from now on. Throws NoDeviceError where it is in use by another process.
void use(int number);
DeviceInfo current();

}  // namespace banzuke::gpu
