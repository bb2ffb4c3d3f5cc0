// What a phase asks between its calls: whether to stop, and what the terminal shows meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/application.hpp"
#include "core/clock.hpp"
#include "core/storage/interruption.hpp"

namespace banzuke::mdtest {

// Divides the time that there is among the phases to come.
class Budget {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  // `seconds` 0: no limit.
  Budget(double seconds, std::int64_t phases) : end_(seconds > 0.0 ? now() + seconds : never), phases_(phases) {}

  // When the next phase has to stop.
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
  // `before` of `total` steps were done before this phase.
  Pace(const Context& context, double deadline, std::int64_t before, std::int64_t total)
      : context_(context), deadline_(deadline), before_(before), total_(total), begin_(now()), told_(begin_) {}

  // Whether to stop before the phase's call `number`. Throws after a signal to end.
  bool stop(std::int64_t number) {
    // The clock is read so seldom that it stays out of the fastest calls' time (caches answer in 300 ns).
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
