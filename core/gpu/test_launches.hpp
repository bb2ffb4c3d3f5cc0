#pragma once

#include <cstdint>

#include "core/gpu/runtime.hpp"

namespace banzuke::gpu::testing {

void launch_count(std::int64_t n, DevicePointer<std::int64_t> twice, DevicePointer<int> written, const Stream& stream);
void launch_reverse(std::int64_t blocks, DevicePointer<const int> from, PinnedPointer<int> to, const Stream& stream);
// Launches with blocks of 1, 32 or 256 threads.
void launch_sum(int threads, std::int64_t blocks, DevicePointer<std::int64_t> sums, const Stream& stream);
// Launches with groups of 1, 8 or 32 threads, in blocks of 128.
void launch_group_sums(int group, std::int64_t blocks, DevicePointer<const double> from, DevicePointer<double> sums,
                       DevicePointer<std::int32_t> arrived, DevicePointer<double> total, const Stream& stream);

}  // namespace banzuke::gpu::testing
