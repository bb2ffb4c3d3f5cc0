#include "timer.hpp"

#include <algorithm>

namespace banzuke::noise {
namespace {

// Returns the seconds that a reading takes: the shortest of several trials, because interruptions only lengthen them.
double cost(clockid_t clock) {
  constexpr int readings = 100;
  const auto seconds = [clock] {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double best = 1.0;
  for (int trial = 0; trial < 20; ++trial) {
    const double start = seconds();
    for (int i = 1; i < readings; ++i) seconds();
    best = std::min(best, (seconds() - start) / readings);
  }
  return best;
}

}  // namespace

Timer::Timer() : reading_(cost(CLOCK_MONOTONIC_RAW)) {
  const double usual = cost(CLOCK_MONOTONIC);
  if (reading_ < 3.0 * usual) return;
  clock_ = CLOCK_MONOTONIC;
  reading_ = usual;
}

}  // namespace banzuke::noise
