// The timed loop.
#pragma once

#include <vector>

#include "core/clock.hpp"
#include "core/message.hpp"

namespace banzuke::pt2pt {

// Times each counted exchange; there is nothing else between its two clock readings. `before` runs ahead of them.
template <class Before, class Body>
std::vector<double> timed_loop(Count count, Before before, Body exchange) {
  std::vector<double> seconds(static_cast<std::size_t>(count.iterations));
  for (std::int64_t i = 0; i < count.warm_up; ++i) {
    before();
    exchange();
  }
  for (auto& one : seconds) {
    before();
    const double start = now();
    exchange();
    const double end = now();
    one = end - start;
  }
  return seconds;
}

}  // namespace banzuke::pt2pt
