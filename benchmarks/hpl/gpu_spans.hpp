// Where a stream's time went, by the device's clock.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string_view>

#include "core/gpu/runtime.hpp"

namespace banzuke::hpl {

enum class Span { idle, swap, solve, update };
inline constexpr std::array<std::string_view, 4> span_names{"idle", "swap", "solve", "update"};

class Spans {
 public:
  // What follows belongs to none until the next end().
  void begin(const gpu::Stream& stream) { mark(stream); }
  // What was queued since the last mark was this.
  void end(Span span, const gpu::Stream& stream) {
    mark(stream);
    ends_.push_back({span, marks_.size() - 1});
  }

  // When all is done: seconds.
  double total(Span span) const {
    double seconds = 0.0;
    for (const auto& [what, at] : ends_) {
      if (what == span) seconds += marks_[at].seconds_since(marks_[at - 1]);
    }
    return seconds;
  }

 private:
  struct End {
    Span span;
    std::size_t mark;
  };

  void mark(const gpu::Stream& stream) { marks_.emplace_back().record(stream); }

  std::deque<gpu::Event> marks_;
  std::deque<End> ends_;
};

}  // namespace banzuke::hpl
