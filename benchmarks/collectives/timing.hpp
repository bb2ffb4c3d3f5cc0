// The timed loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/clock.hpp"

namespace banzuke::collectives {

// Times each counted call; there is nothing else between its two clock readings. `align` follows untimed.
template <class Call, class Align>
void time_each(std::int64_t warm_up, std::span<double> seconds, Call call, Align align) {
  const auto iterations = static_cast<std::int64_t>(seconds.size());
  for (std::int64_t i = -warm_up; i < iterations; ++i) {
    const double start = now();
    call();
    const double stop = now();
    align();
    if (i >= 0) seconds[static_cast<std::size_t>(i)] = stop - start;
  }
}

}  // namespace banzuke::collectives
