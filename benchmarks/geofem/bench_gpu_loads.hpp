// Loads alone: what bounds a code that hardly stores.
#pragma once

#include "core/gpu/runtime.hpp"

namespace banzuke::geofem {

// Reads all of x; sums[i] of each of gpu::sum_blocks(its elements).
void launch_loads(const gpu::Stream& stream, const gpu::DeviceBuffer<double>& x, gpu::DeviceBuffer<double>& sums);

}  // namespace banzuke::geofem
