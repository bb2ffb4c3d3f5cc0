// What the kernel's files tell of AMD's devices, and of the links of any device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files.hpp"

namespace banzuke {

// PCI addresses of those with memory of their own.
std::vector<std::string> amd_devices(const files::Path& root);

// Errors that the memory's controller counted, which it corrected and which it could not.
struct MemoryErrors {
  std::optional<double> corrected{};
  std::optional<double> uncorrected{};
};
// `folder`: that of the PCI device.
MemoryErrors amd_memory_errors(const files::Path& folder);
// "GPU-" and its serial number; empty: the kernel does not know it.
std::string amd_identity(const files::Path& folder);

// Generation of PCI Express by its rate: `16.0 GT/s PCIe`.
std::optional<int> link_generation(const files::Path& file);
std::optional<int> link_width(const files::Path& file);

}  // namespace banzuke
