#pragma once

#include <array>

#include "gpu_launches.hpp"

namespace banzuke::stream {

// Other ways to do Triad, each a kernel by itself.
enum class Way {
  element,   // a thread for each element, as it is written first
  wide,      // a thread for two pairs of elements, 16 bytes at once
  streamed,  // the same, for which the caches give no room to what is not used again
};
inline constexpr std::array ways{Way::element, Way::wide, Way::streamed};
inline constexpr std::array way_names{"a thread for each element", "16 bytes at once",
                                      "16 bytes at once, past the caches"};

// Queues a[i] = b[i] + scalar c[i].
void launch_triad(Way way, const DeviceArrays& arrays, const gpu::Stream& stream);

}  // namespace banzuke::stream
