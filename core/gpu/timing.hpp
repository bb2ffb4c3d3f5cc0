// Time by the device's clock, and its agreement with the host's.
#pragma once

#include <vector>

#include "core/gpu/runtime.hpp"
#include "core/record.hpp"

namespace banzuke::gpu {

// Times what is queued between start() and stop() in a stream.
class Timer {
 public:
  explicit Timer(const Stream& stream) : stream_(stream) {}

  void start() const { first_.record(stream_); }
  // Waits for the end; seconds.
  double stop() const {
    last_.record(stream_);
    last_.wait();
    return last_.seconds_since(first_);
  }

 private:
  const Stream& stream_;
  Event first_, last_;
};

// Relative difference between a pause by the device's clock and by the host's. Takes 0.05 s.
double clock_difference(const Stream& stream);
inline constexpr double clock_tolerance = 0.01;
// That the two agree; none where the host's is the only one.
std::vector<Verification> clock_checks(const Stream& stream);

}  // namespace banzuke::gpu
