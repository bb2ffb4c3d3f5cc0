#pragma once

#include "core/gpu/space.hpp"
#include "stream.hpp"

namespace banzuke::gpu {
class Stream;  // from runtime.hpp, which not every directive compiler accepts
}

namespace banzuke::stream {

struct DeviceArrays {
  std::int64_t n;
  gpu::DevicePointer<double> a, b, c;
};

// These queue their work.
void launch_fill(const DeviceArrays& arrays, const gpu::Stream& stream);  // initial values
void launch_calibration(const DeviceArrays& arrays, const gpu::Stream& stream);
// Dot writes the sums of `blocks` blocks to `sums`.
void launch(Kernel kernel, const DeviceArrays& arrays, gpu::PinnedPointer<double> sums, std::int64_t blocks,
            const gpu::Stream& stream);
std::int64_t dot_blocks(std::int64_t n, int multiprocessors);

}  // namespace banzuke::stream
