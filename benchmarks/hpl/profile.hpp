// Breakdown of the main thread's time, step by step; with a device, of the device's time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/clock.hpp"

namespace banzuke::hpl {

enum class Part { panel, pivot_exchange, transfer, broadcast_wait, swap, swap_wait, update, thread_wait, solve };
inline constexpr std::array<std::string_view, 9> part_names{
    "panel", "pivot_exchange", "transfer", "broadcast_wait", "swap", "swap_wait", "update", "thread_wait", "solve"};

// What a device does. `wait`: for factors that stream from host memory.
enum class Span { idle, wait, move, solve, update };
inline constexpr std::array<std::string_view, 5> span_names{"idle", "wait", "move", "solve", "update"};

// All time since the last lap is attributed to one part, so the parts of a step add up to its time.
class Profile {
 public:
  using Step = std::array<double, part_names.size()>;

  void begin() {
    steps_.assign(1, {});
    last_ = now();
  }
  void lap(Part part) {
    const double time = now();
    of(part) += time - last_;
    last_ = time;
  }
  // Attributes the time since the last lap to no part.
  void skip() { last_ = now(); }
  // Moves some of the last lap's time from `from` to `to`.
  void move(Part from, Part to, double seconds) {
    of(from) -= seconds;
    of(to) += seconds;
  }
  void next_step() { steps_.emplace_back(); }
  const std::vector<Step>& steps() const { return steps_; }
  Step& step(std::size_t number) { return steps_.at(number); }

 private:
  double& of(Part part) { return steps_.back()[static_cast<std::size_t>(part)]; }

  std::vector<Step> steps_{1};
  double last_ = 0.0;
};

}  // namespace banzuke::hpl
