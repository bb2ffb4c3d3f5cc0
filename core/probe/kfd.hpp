// AMD devices as the kernel's compute driver describes them: the topology of amdkfd in sysfs
// (drivers/gpu/drm/amd/amdkfd/kfd_topology.c and kfd_crat.c). It shows only devices that the job's cgroup allows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "files.hpp"

namespace banzuke {

// An XGMI path between two devices, or to a processor.
struct XgmiPath {
  std::string peer{};  // PCI address
  std::string kind{};  // of the other end: device, processor; empty: unknown
  int links = 0;       // direct links between the two; 0: none, or unknown
};

// Units are SI.
struct KfdDevice {
  std::string architecture{};  // the compiler's target, gfx90a; empty: unknown
  std::optional<int> compute_units{};
  std::optional<double> clock_max{};
  std::optional<double> memory_clock_max{};
  std::optional<int> memory_bits{};  // width of the memory bus
  int partitions = 0;                // number that programs see as separate devices; 1: not partitioned
  std::vector<XgmiPath> xgmi{};
};

// Returns the devices by their PCI addresses.
std::map<std::string, KfdDevice> kfd_devices(const files::Path& root);

}  // namespace banzuke
