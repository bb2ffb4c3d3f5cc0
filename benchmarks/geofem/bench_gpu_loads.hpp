// Loads alone: what bounds a code that hardly stores.
#pragma once

#include "core/gpu/runtime.hpp"

namespace banzuke::geofem {

// Reads all of x; sums[i] of each block of threads.
void launch_loads(const gpu::Stream& stream, const gpu::DeviceBuffer<double>& x, gpu::DeviceBuffer<double>& sums);
// As many as launch_loads writes.
std::size_t loads_sums(std::size_t elements);

}  // namespace banzuke::geofem
