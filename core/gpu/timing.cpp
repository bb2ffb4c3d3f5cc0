#include "core/gpu/timing.hpp"

#include <chrono>
#include <cmath>
#include <thread>

#include "core/clock.hpp"

namespace banzuke::gpu {

double clock_difference(const Stream& stream) {
  const Event first;
  const Event last;
  // Both ends are read alike, so that what it takes to see that an event has passed cancels.
  const auto passed = [&](const Event& event) {
    event.record(stream);
    event.wait();
    return now();
  };
  passed(last);  // the first one is slower
  const double begin = passed(first);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const double host = passed(last) - begin;
  return std::abs(last.seconds_since(first) - host) / host;
}

std::vector<Verification> clock_checks(const Stream& stream) {
  if (!has_clock()) return {};
  return {{"difference of the device's clock from the host's", clock_difference(stream), clock_tolerance}};
}

}  // namespace banzuke::gpu
