// Time by the device's clock, and its agreement with the host's.
#pragma once

#include "core/gpu/runtime.hpp"

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
inline constexpr const char* clock_check = "difference of the device's clock from the host's";

}  // namespace banzuke::gpu
