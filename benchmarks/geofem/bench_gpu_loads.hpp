// Loads only: the bound for code that hardly stores.
#pragma once

#include "core/gpu/runtime.hpp"

namespace banzuke::geofem {

// Reads all of x and writes sums[i] for each of its gpu::sum_blocks(elements) blocks.
void launch_loads(const gpu::Stream& stream, const gpu::DeviceBuffer<double>& x, gpu::DeviceBuffer<double>& sums);

}  // namespace banzuke::geofem
