// AMD devices, and the links of any device, as the kernel's files describe them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files.hpp"

namespace banzuke {

// PCI addresses of AMD devices with memory of their own.
std::vector<std::string> amd_devices(const files::Path& root);

// Corrected and uncorrected errors counted by the memory controller.
struct MemoryErrors {
  std::optional<double> corrected{};
  std::optional<double> uncorrected{};
};
// `folder`: the PCI device's.
MemoryErrors amd_memory_errors(const files::Path& folder);
// Returns "GPU-" and the device's serial number; empty if the kernel does not know it.
std::string amd_identity(const files::Path& folder);

// PCI Express generation, from the rate: `16.0 GT/s PCIe`.
std::optional<int> link_generation(const files::Path& file);
std::optional<int> link_width(const files::Path& file);

}  // namespace banzuke
