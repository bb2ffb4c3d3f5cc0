// Breakdown of a stream's time, by the device's clock.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "profile.hpp"

namespace banzuke::hpl {

// Contiguous time spans: work queued since the last mark forms one.
class Spans {
 public:
  using Seconds = std::array<double, span_names.size()>;

  void begin(const gpu::Stream& stream) {
    if (marks_.empty()) marks_.emplace_back().record(stream);
  }
  void end(Span span, const gpu::Stream& stream) {
    marks_.emplace_back().record(stream);
    ends_.push_back({span, step_});
  }
  // Later spans belong to the next step.
  void next_step() { ++step_; }

  // The seconds of each step; call when all work is done.
  std::vector<Seconds> by_step() const {
    std::vector<Seconds> seconds(step_ + 1);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      seconds[ends_[i].step][static_cast<std::size_t>(ends_[i].span)] += marks_[i + 1].seconds_since(marks_[i]);
    }
    return seconds;
  }

 private:
  struct End {
    Span span;
    std::size_t step;
  };

  std::deque<gpu::Event> marks_;
  std::vector<End> ends_;
  std::size_t step_ = 0;
};

}  // namespace banzuke::hpl
