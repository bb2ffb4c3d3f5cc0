#pragma once

#include <string>

namespace banzuke::gpu::directives {

// Returns the identity of the device that owns this memory, as NVIDIA's driver reports it; empty for host memory.
std::string owner(const void* address);

}  // namespace banzuke::gpu::directives
