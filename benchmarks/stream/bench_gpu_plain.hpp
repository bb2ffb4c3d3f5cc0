#pragma once

#include "gpu_launches.hpp"

namespace banzuke::stream {

// Queues a[i] = b[i] + scalar c[i] as it is written first: a thread for each element.
void launch_plain_triad(const DeviceArrays& arrays, const gpu::Stream& stream);

}  // namespace banzuke::stream
