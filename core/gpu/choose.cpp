#include "core/gpu/choose.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/devices.hpp"

namespace banzuke::gpu {
namespace {

// Call before the first runtime call. CUDA numbers the fastest device first, NVML and the launching side by PCI bus:
// with different devices, a number in CUDA_VISIBLE_DEVICES would mean another one. CUDA shows a process only the first
// slice of a device unless slices are named.
void show(const std::vector<std::string>& identities) {
  if (!identities.empty()) setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  const auto is_slice = [](const std::string& identity) { return identity.starts_with("MIG-"); };
  if (!std::ranges::any_of(identities, is_slice)) return;
  std::string names;
  for (const auto& identity : identities) names += (names.empty() ? "" : ",") + identity;
  setenv("CUDA_VISIBLE_DEVICES", names.c_str(), 1);
}

}  // namespace

std::vector<DeviceInfo> offered() {
  const auto& identities = given_devices().identities;
  show(identities);
  auto visible = devices();
  if (identities.empty()) return visible;
  std::vector<DeviceInfo> found;
  for (const auto& identity : identities) {
    const auto place = std::ranges::find(visible, identity, &DeviceInfo::identity);
    if (place == visible.end()) {
      std::string names;
      for (const auto& device : visible) names += (names.empty() ? "" : ", ") + device.identity;
      throw NoDeviceError("there is no device " + identity + " here; visible are " + names);
    }
    found.push_back(*place);
  }
  return found;
}

std::vector<DeviceInfo> given() {
  const auto& [identities, local_rank] = given_devices();
  auto found = offered();
  if (identities.empty()) found = {found[static_cast<std::size_t>(local_rank) % found.size()]};
  for (const auto& device : found) uses_device(device.identity);
  return found;
}

DeviceInfo use_given() {
  const DeviceInfo first = given().front();
  use(first.number);
  return current();
}

}  // namespace banzuke::gpu
