// Checks of a phase between its calls: whether to stop, and progress for the terminal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/application.hpp"
#include "core/clock.hpp"
#include "core/storage/interruption.hpp"

namespace banzuke::mdtest {

// Divides the available time among the remaining phases.
class Budget {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  // `seconds` 0: no limit.
  Budget(double seconds, std::int64_t phases) : end_(seconds > 0.0 ? now() + seconds : never), phases_(phases) {}

  // The deadline of the next phase.
  double next() {
    const double time = now();
    return time + (end_ - time) / static_cast<double>(std::max<std::int64_t>(1, phases_--));
  }
  bool spent() const { return now() >= end_; }

 private:
  double end_;
  std::int64_t phases_;
};

// The pace of one phase on this rank.
class Pace {
 public:
  // `before` of `total` steps were done in earlier phases.
  Pace(const Context& context, double deadline, std::int64_t before, std::int64_t total)
      : context_(context), deadline_(deadline), before_(before), total_(total), begin_(now()), told_(begin_) {}

  // Returns whether to stop before the phase's call `number`. Throws after a termination signal.
  bool stop(std::int64_t number) {
    // The clock is read rarely, so as not to affect the fastest calls (caches answer in 300 ns).
    constexpr std::int64_t at_once = 8;
    return number % at_once == 0 && look(number);
  }

 private:
  bool look(std::int64_t number);

  const Context& context_;
  double deadline_;
  std::int64_t before_;
  std::int64_t total_;
  double begin_;
  double told_;
};

}  // namespace banzuke::mdtest
