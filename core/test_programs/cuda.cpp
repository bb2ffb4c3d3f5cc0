// A stand-in for NVIDIA's driver, with the few functions of libcuda that core/gpu/directives/driver.cpp calls, for
// tests without a driver. Environment variables, read at each call, set what it reports:
//   BANZUKE_CUDA_DEVICES  number; 1. Their identities end in their number: GPU-00000000-0000-0000-0000-000000000001
//   BANZUKE_CUDA_MIG      they are slices
//   BANZUKE_CUDA_INIT     the status of cuInit; 0
//   BANZUKE_CUDA_OWNER    number of the device that owns every address; unset: none

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int invalid_value = 1;
constexpr int invalid_device = 101;

int number(const char* name, int usual) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? usual : static_cast<int>(std::strtol(value, nullptr, 10));
}

int devices() { return number("BANZUKE_CUDA_DEVICES", 1); }

}  // namespace

extern "C" {

int cuInit(unsigned /*flags*/) { return number("BANZUKE_CUDA_INIT", 0); }

int cuGetErrorName(int /*status*/, const char** out) {
  *out = "CUDA_ERROR_STAND_IN";
  return 0;
}

int cuDriverGetVersion(int* out) {
  *out = 13000;
  return 0;
}

int cuDeviceGetCount(int* out) {
  *out = devices();
  return 0;
}

int cuDeviceGet(int* out, int ordinal) {
  *out = ordinal;
  return ordinal < devices() ? 0 : invalid_device;
}

int cuDeviceGetName(char* out, int size, int /*device*/) {
  const char* name = std::getenv("BANZUKE_CUDA_MIG") == nullptr ? "NVIDIA Stand-in" : "NVIDIA Stand-in MIG 1g.10gb";
  std::snprintf(out, static_cast<std::size_t>(size), "%s", name);
  return 0;
}

int cuDeviceGetUuid_v2(std::array<char, 16>* out, int device) {
  *out = {};
  out->back() = static_cast<char>(device);
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* out, int /*device*/) {
  *out = std::size_t{1} << 30U;
  return 0;
}

int cuDeviceGetAttribute(int* out, int attribute, int /*device*/) {
  *out = attribute;
  return 0;
}

int cuDeviceGetPCIBusId(char* out, int size, int device) {
  std::snprintf(out, static_cast<std::size_t>(size), "0000:%02X:00.0", 0xA0 + device);
  return 0;
}

int cuPointerGetAttribute(void* out, int /*attribute*/, std::uintptr_t /*address*/) {
  const int owner = number("BANZUKE_CUDA_OWNER", -1);
  if (owner < 0) return invalid_value;
  *static_cast<int*>(out) = owner;
  return 0;
}

}  // extern "C"
