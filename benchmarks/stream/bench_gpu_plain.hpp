#pragma once

#include <array>

#include "gpu_launches.hpp"

namespace banzuke::stream {

// Other implementations of Triad, each a separate kernel.
enum class Way {
  element,   // a thread for each element, the straightforward way
  wide,      // a thread for two pairs of elements, 16 bytes per access
  streamed,  // the same, but data that are not reused bypass the caches
};
inline constexpr std::array ways{Way::element, Way::wide, Way::streamed};
inline constexpr std::array way_names{"a thread for each element", "16 bytes at once",
                                      "16 bytes at once, past the caches"};

// Queues a[i] = b[i] + scalar c[i].
void launch_triad(Way way, const DeviceArrays& arrays, const gpu::Stream& stream);

}  // namespace banzuke::stream
