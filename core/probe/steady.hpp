// Periodic output until nobody reads it: clocks, lines on standard output, pauses.
#pragma once

#include <csignal>
#include <ctime>

#include "core/json.hpp"

namespace banzuke {

double seconds(clockid_t clock);

// Writes a line unbuffered; returns false if nobody reads.
bool write_line(const Json& line);

// Sleeps until a time of the monotonic clock; until() returns false if the end came first, i.e. the end of standard
// input, or SIGTERM, SIGINT or SIGHUP.
class Pause {
 public:
  Pause();  // signals are delivered only while it waits
  bool until(double time) const;

 private:
  sigset_t before_{};
};

}  // namespace banzuke
