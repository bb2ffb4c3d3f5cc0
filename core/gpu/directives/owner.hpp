#pragma once

#include <string>

namespace banzuke::gpu::directives {

// Identity of the device whose memory this is, as NVIDIA's driver tells it; empty: the processors'.
std::string owner(const void* address);

}  // namespace banzuke::gpu::directives
