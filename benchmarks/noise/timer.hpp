// The clock for the samples.
#pragma once

#include <cstdint>
#include <ctime>

namespace banzuke::noise {

class Timer {
 public:
  // Uses the raw monotonic clock, which is never adjusted: the usual one may be slewed by 3 us in 6 ms. If reading it
  // is a system call (Linux before 5.3 on some processors), uses the usual one.
  Timer();

  std::int64_t read() const {
    timespec time{};
    clock_gettime(clock_, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
  }
  double reading() const { return reading_; }  // s that one reading takes

 private:
  clockid_t clock_ = CLOCK_MONOTONIC_RAW;
  double reading_ = 0.0;
};

}  // namespace banzuke::noise
