// When figures were measured, for observers outside the process: power sensors, other hosts.
#pragma once

#include <vector>

#include "core/json.hpp"

namespace banzuke {

// Seconds since the epoch by the system clock, which hosts synchronise as well as they can.
double wall_time();

// Pauses too short for a sensor to resolve are merged into the timed parts around them; if there would be too many
// parts, longer pauses are, too.
class TimedParts {
 public:
  // Lasts from construction to destruction; encloses the clock readings from which figures are computed.
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

  // Parts must be added in order.
  void add(double begin, double end);
  bool empty() const { return parts_.empty(); }
  Json json() const;  // [[begin, end], ...] rounded to microseconds

  static constexpr std::size_t most = 256;

 private:
  struct Span {
    double begin;
    double end;
  };
  void join();

  std::vector<Span> parts_;
  double pause_ = 0.01;  // shorter pauses are merged
};

}  // namespace banzuke
