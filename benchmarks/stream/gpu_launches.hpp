#pragma once

#include "core/gpu/space.hpp"
#include "stream.hpp"

namespace banzuke::gpu {
class Stream;  // of runtime.hpp, which not every compiler of directives reads
}

namespace banzuke::stream {

struct DeviceArrays {
  std::int64_t n;
  gpu::DevicePointer<double> a, b, c;
};

// Queue their work.
void launch_fill(const DeviceArrays& arrays, const gpu::Stream& stream);  // as at first
void launch_calibration(const DeviceArrays& arrays, const gpu::Stream& stream);
// Dot's sums of so many blocks go to `sums`.
void launch(Kernel kernel, const DeviceArrays& arrays, gpu::PinnedPointer<double> sums, std::int64_t blocks,
            const gpu::Stream& stream);
std::int64_t dot_blocks(std::int64_t n, int multiprocessors);

}  // namespace banzuke::stream
