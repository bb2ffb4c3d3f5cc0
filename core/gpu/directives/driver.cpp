// Devices as NVIDIA's driver reports them; it is loaded at run time with our own declarations of the few functions
// used.

#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>

#include "core/gpu/device.hpp"
#include "core/gpu/directives/model.hpp"
#include "core/gpu/directives/owner.hpp"
#include "core/gpu/library.hpp"
#include "core/gpu/uuid.hpp"

namespace banzuke::gpu {
namespace {

constexpr int success = 0;
// Values of CUdevice_attribute and CUpointer_attribute.
constexpr int multiprocessor_count = 16;
constexpr int l2_cache_size = 38;
constexpr int compute_capability_major = 75;
constexpr int compute_capability_minor = 76;
constexpr int device_ordinal = 9;

struct Driver {
  Library library{"BANZUKE_LIBCUDA", {"libcuda.so.1"}, "Install NVIDIA's driver"};

  int (*init)(unsigned) = library.get<int(unsigned)>("cuInit");
  int (*error_name)(int, const char**) = library.get<int(int, const char**)>("cuGetErrorName");
  int (*version)(int*) = library.get<int(int*)>("cuDriverGetVersion");
  int (*count)(int*) = library.get<int(int*)>("cuDeviceGetCount");
  int (*device)(int*, int) = library.get<int(int*, int)>("cuDeviceGet");
  int (*name)(char*, int, int) = library.get<int(char*, int, int)>("cuDeviceGetName");
  // Version 2 distinguishes a MIG slice from its parent device.
  int (*uuid)(Uuid*, int) = library.get<int(Uuid*, int)>("cuDeviceGetUuid_v2");
  int (*memory)(std::size_t*, int) = library.get<int(std::size_t*, int)>("cuDeviceTotalMem_v2");
  int (*attribute)(int*, int, int) = library.get<int(int*, int, int)>("cuDeviceGetAttribute");
  int (*bus)(char*, int, int) = library.get<int(char*, int, int)>("cuDeviceGetPCIBusId");
  int (*of_pointer)(void*, int, std::uintptr_t) = library.get<int(void*, int, std::uintptr_t)>("cuPointerGetAttribute");
};

const Driver& driver() {
  try {
    static const Driver loaded;
    return loaded;
  } catch (const Error& error) {
    throw NoDeviceError(
        "there is no device: NVIDIA's driver is not installed, is too old, or is not visible in this "
        "container (" +
        std::string(error.what()) + ")");
  }
}

void check(int status, const std::string& what) {
  if (status == success) return;
  const char* name = nullptr;
  if (driver().error_name(status, &name) != success || name == nullptr) name = "an unknown error";
  throw NoDeviceError("cannot " + what + ": " + name);
}

int attribute(int device, int which) {
  int value = 0;
  check(driver().attribute(&value, which, device), "read an attribute of a device");
  return value;
}

DeviceInfo info(int number) {
  int device = 0;
  check(driver().device(&device, number), "find device " + std::to_string(number));
  std::array<char, 256> name{};
  check(driver().name(name.data(), static_cast<int>(name.size()), device), "read a device's name");
  Uuid uuid{};
  check(driver().uuid(&uuid, device), "read a device's identity");
  const bool slice = std::string_view(name.data()).find(" MIG ") != std::string_view::npos;
  DeviceInfo out{.number = number, .identity = (slice ? "MIG-" : "GPU-") + text(uuid), .name = name.data()};
  std::array<char, 32> bus{};
  if (driver().bus(bus.data(), static_cast<int>(bus.size()), device) == success) {
    for (const char letter : std::string_view(bus.data())) out.bus += static_cast<char>(std::tolower(letter));
  }
  check(driver().memory(&out.memory, device), "read the size of a device's memory");
  out.l2_cache = static_cast<std::size_t>(attribute(device, l2_cache_size));
  out.multiprocessors = attribute(device, multiprocessor_count);
  out.architecture = "sm_" + std::to_string(attribute(device, compute_capability_major)) +
                     std::to_string(attribute(device, compute_capability_minor));
  return out;
}

}  // namespace

std::string platform() {
  int version = 0;
  check(driver().version(&version), "read the driver's version");
  return std::string(directives::model()) + ", compiler " + directives::compiler() + ", driver for CUDA " +
         std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<DeviceInfo> devices() {
  check(driver().init(0), "start NVIDIA's driver");
  int number = 0;
  check(driver().count(&number), "count the devices");
  if (number == 0) throw NoDeviceError("there is no device that this process may see");
  std::vector<DeviceInfo> found;
  found.reserve(static_cast<std::size_t>(number));
  for (int i = 0; i < number; ++i) found.push_back(info(i));
  return found;
}

std::string directives::owner(const void* address) {
  int number = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return driver().of_pointer(&number, device_ordinal, at) == success ? info(number).identity : "";
}

}  // namespace banzuke::gpu
