// Whether the MPI library may be handed the address of a device's memory. One that may not follows the address on the
// host, and the process ends.
#pragma once

#include <string>

namespace banzuke::pt2pt {

// Empty: it may. Else why not, as far as the library tells: `platform` as gpu::platform() has it. Once MPI is
// initialised.
std::string no_device_addresses(const std::string& platform);

}  // namespace banzuke::pt2pt
