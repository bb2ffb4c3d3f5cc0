#pragma once

#include <cstdint>

#include "core/gpu/runtime.hpp"

namespace banzuke::dgemm {

// Queues matrix[i] := uniform(number, i) for all of its elements.
void launch_fill(gpu::DevicePointer<double> matrix, std::int64_t size, std::uint64_t number, const gpu::Stream& stream);

}  // namespace banzuke::dgemm
