// What is told at a steady rate until nobody listens: clocks, lines on the standard output, pauses.
#pragma once

#include <csignal>
#include <ctime>

#include "core/json.hpp"

namespace banzuke {

double seconds(clockid_t clock);

// Written at once, not when a buffer is full. False: nobody reads.
bool write_line(const Json& line);

// Waits until a time of the monotonic clock, without the use of a processor. False: the end has come before, which is
// that of the standard input, or SIGTERM, SIGINT or SIGHUP.
class Pause {
 public:
  Pause();  // signals come while it waits and nowhere else
  bool until(double time) const;

 private:
  sigset_t before_{};
};

}  // namespace banzuke
