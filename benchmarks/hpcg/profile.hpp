// Breakdown of the main thread's time.
#pragma once

#include <array>
#include <string_view>

#include "core/clock.hpp"

namespace banzuke::hpcg {

enum class Part { mg, mg_halo, spmv, spmv_halo, dot, allreduce, waxpby };

// All time since the last lap is attributed to one part, so the parts add up to the total.
class Profile {
 public:
  using Seconds = std::array<double, 7>;

  void begin() {
    seconds_ = {};
    last_ = now();
  }
  void lap(Part part) {
    const double time = now();
    seconds_[static_cast<std::size_t>(part)] += time - last_;
    last_ = time;
  }
  // Adds seconds of another clock.
  void add(Part part, double seconds) { seconds_[static_cast<std::size_t>(part)] += seconds; }
  double operator[](Part part) const { return seconds_[static_cast<std::size_t>(part)]; }
  const Seconds& seconds() const { return seconds_; }

 private:
  Seconds seconds_{};
  double last_ = 0.0;
};

}  // namespace banzuke::hpcg
