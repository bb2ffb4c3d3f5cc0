#pragma once

#include <cstdint>

#include "core/fft/kernels.hpp"
#include "core/gpu/runtime.hpp"

namespace banzuke::fft {

// Queues x[i] := what is transformed, for all of so many.
void launch_fill(gpu::DevicePointer<Complex> x, std::int64_t size, const gpu::Stream& stream);

}  // namespace banzuke::fft
