// When figures were measured, for those who saw the machine from outside meanwhile: sensors of power, other hosts.
#pragma once

#include <vector>

#include "core/json.hpp"

namespace banzuke {

// Seconds since the epoch by the clock that hosts share as well as they can.
double wall_time();

// Pauses that no sensor tells apart are parts of what they interrupt, and where there would be too many parts, longer
// ones are, too.
class TimedParts {
 public:
  // From its construction to its end; outside of the readings of the clock that figures come from.
  class Part {
   public:
    explicit Part(TimedParts& parts) : parts_(parts), begin_(wall_time()) {}
    ~Part() { parts_.add(begin_, wall_time()); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    TimedParts& parts_;
    double begin_;
  };

  // Each after the one before.
  void add(double begin, double end);
  bool empty() const { return parts_.empty(); }
  Json json() const;  // [[begin, end], ...] to microseconds

  static constexpr std::size_t most = 256;

 private:
  struct Span {
    double begin;
    double end;
  };
  void join();

  std::vector<Span> parts_;
  double pause_ = 0.01;  // shorter ones are joined
};

}  // namespace banzuke
