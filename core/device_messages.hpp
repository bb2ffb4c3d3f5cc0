// Whether the MPI library accepts addresses of device memory. One that does not will dereference them on the host, and
// the process crashes. Implemented next to the communicator: core/mpi and core/serial.
#pragma once

#include <string>

namespace banzuke {

// Returns why the library does not accept such addresses, as far as it reports that; empty if it does. `platform` is
// gpu::platform(). Call after MPI_Init, on all ranks, so that all of them get the same answer.
std::string no_device_messages(const std::string& platform);

// Throws Unsupported with that reason; `option` is what asked for such messages.
void require_device_messages(const std::string& platform, const std::string& option);

}  // namespace banzuke
