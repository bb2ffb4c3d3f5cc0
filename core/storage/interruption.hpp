// Polls for SIGINT, SIGTERM and SIGHUP, so that a program can remove its files before it ends.
#pragma once

#include <csignal>
#include <string>

namespace banzuke {

// While an object exists, the first such signal is noted; a second one ends the process as usual.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool requested() { return signal_ != 0; }
  // Throws `ended by SIGTERM` after a signal.
  static void check();

 private:
  static void note(int signal) { signal_ = signal; }
  static volatile std::sig_atomic_t signal_;
};

}  // namespace banzuke
