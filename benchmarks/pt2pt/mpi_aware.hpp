// Whether the MPI library accepts addresses of device memory. A library that does not dereferences them on the host,
// and the process crashes.
#pragma once

#include <string>

namespace banzuke::pt2pt {

// Empty: it does. Else why not, as far as the library reports it. `platform`: from gpu::platform(). Call after
// MPI_Init.
std::string no_device_addresses(const std::string& platform);

}  // namespace banzuke::pt2pt
