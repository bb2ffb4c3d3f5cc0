// What the kernel's compute driver tells of AMD's devices: the topology of amdkfd in sysfs
// (drivers/gpu/drm/amd/amdkfd/kfd_topology.c and kfd_crat.c). It tells only devices that the job's cgroup allows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "files.hpp"

namespace banzuke {

// XGMI between two devices, or to a processor.
struct XgmiPath {
  std::string peer{};  // PCI address
  std::string kind{};  // of the other end: device, processor; empty: unknown
  int links = 0;       // that join the two directly; 0: none does, or the kernel does not say
};

// Units are SI.
struct KfdDevice {
  std::string architecture{};  // the compiler's target, gfx90a; empty: unknown
  std::optional<int> compute_units{};
  std::optional<double> clock_max{};
  std::optional<double> memory_clock_max{};
  std::optional<int> memory_bits{};  // width of the memory's bus
  int partitions = 0;                // that programs see as devices of their own; 1: it is not partitioned
  std::vector<XgmiPath> xgmi{};
};

// By their PCI addresses.
std::map<std::string, KfdDevice> kfd_devices(const files::Path& root);

}  // namespace banzuke
