#pragma once

#include <string>

namespace banzuke::gpu::directives {

// Identity of the device that owns this memory, as NVIDIA's driver reports it; empty: host memory.
std::string owner(const void* address);

}  // namespace banzuke::gpu::directives
