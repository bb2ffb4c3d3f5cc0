#include "trace.hpp"

#include <cmath>

namespace banzuke::dgemm {

void Trace::add_call(std::span<const Finished> finished, double seconds) {
  for (const auto& [when, updates] : finished) add({begun_ + when, updates});
  constexpr double seen = 0.01;  // of a call; a shorter wait is that of the last group for the clock
  const bool waited = finished.empty() || finished.back().seconds < (1.0 - seen) * seconds;
  begun_ += seconds;
  if (waited) {
    add({begun_, 0});
  } else {
    points_.back().seconds = begun_;
  }
}

void Trace::add(const Finished& point) {
  if (points_.empty() || added_ == together_) {
    points_.push_back({});
    added_ = 0;
  }
  points_.back() = {point.seconds, points_.back().updates + point.updates};
  if (++added_ < together_ || points_.size() < most) return;
  for (std::size_t pair = 0; pair < most / 2; ++pair) {
    const Finished& later = points_[2 * pair + 1];
    points_[pair] = {later.seconds, points_[2 * pair].updates + later.updates};
  }
  points_.resize(most / 2);
  together_ *= 2;
  added_ = together_;
}

Series traces(const Trace& own, const Communicator& ranks, double flops_of_update) {
  constexpr std::size_t width = 2 * Trace::most;
  std::vector<double> numbers(width * static_cast<std::size_t>(ranks.size()));
  std::size_t place = width * static_cast<std::size_t>(ranks.rank());
  for (const auto& [seconds, updates] : own.points()) {
    numbers[place++] = seconds;
    numbers[place++] = static_cast<double>(updates);
  }
  ranks.sum(numbers);
  Series series{.unit = "flop", .resolution = flops_of_update, .lines = {}};
  for (int rank = 0; rank < ranks.size(); ++rank) {
    SeriesLine line{.rank = rank, .host = Communicator::host()};
    const std::size_t begin = width * static_cast<std::size_t>(rank);
    for (std::size_t at = begin; at < begin + width && numbers[at] > 0.0; at += 2) {
      line.times.push_back(std::round(numbers[at] * 1e6) / 1e6);  // in a few digits
      line.values.push_back(std::llround(numbers[at + 1]));
    }
    series.lines.push_back(std::move(line));
  }
  return series;
}

}  // namespace banzuke::dgemm
