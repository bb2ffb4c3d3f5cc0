// Devices on PCIe and ports of networks, as the kernel lists them.
#pragma once

#include "facts.hpp"
#include "files.hpp"

namespace banzuke {

void add_pcie(const files::Path& root, Facts& facts);
void add_ports(const files::Path& root, Facts& facts);

}  // namespace banzuke
