// Asks whether the MPI library accepts addresses of device memory. A library that does not will dereference them on the
// host, and the process crashes.
#pragma once

#include <string>

namespace banzuke::pt2pt {

// Returns why the library does not accept such addresses, as far as it reports that; empty if it does. `platform` is
// gpu::platform(). Call after MPI_Init.
std::string no_device_addresses(const std::string& platform);

}  // namespace banzuke::pt2pt
