// Timing by the device's clock, and its agreement with the host's.
#pragma once

#include <vector>

#include "core/gpu/runtime.hpp"
#include "core/record.hpp"

namespace banzuke::gpu {

// Times the work queued in a stream: between start() and stop(), or by a function.
class Timer {
 public:
  explicit Timer(const Stream& stream) : stream_(stream) {}

  void start() const { first_.record(stream_); }
  // Waits for completion and returns the seconds.
  double stop() const {
    last_.record(stream_);
    last_.wait();
    return last_.seconds_since(first_);
  }
  template <class Queue>
  double seconds(Queue queue) const {
    start();
    queue();
    return stop();
  }
  // The device starts when all work is queued, so that it never waits for the host in between. Only for kernels that
  // have run before, because loading one may wait for the device. Throws Error if the queue is too short for all the
  // work.
  template <class Queue>
  double seconds_held(Queue queue) const {
    Gate gate(stream_);
    start();
    queue();
    last_.record(stream_);
    if (!gate.open()) throw Error("the device was not free within 10 s to begin what is timed");
    last_.wait();
    return last_.seconds_since(first_);
  }

 private:
  const Stream& stream_;
  Event first_, last_;
};

// Relative difference between the lengths of a pause by the device's clock and by the host's. Takes 0.05 s.
double clock_difference(const Stream& stream);
inline constexpr double clock_tolerance = 0.01;
// Checks that the two agree; no checks if the host's clock is the only one.
std::vector<Verification> clock_checks(const Stream& stream);

}  // namespace banzuke::gpu
