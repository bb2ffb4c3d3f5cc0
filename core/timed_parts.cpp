#include "core/timed_parts.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace banzuke {

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void TimedParts::add(double begin, double end) {
  // This also merges parts if the clock was set back meanwhile.
  if (!parts_.empty() && begin - parts_.back().end < pause_) {
    parts_.back().end = std::max(parts_.back().end, end);
    return;
  }
  parts_.push_back({.begin = begin, .end = std::max(begin, end)});
  while (parts_.size() > most) join();
}

void TimedParts::join() {
  pause_ *= 2.0;
  for (const auto& part : std::exchange(parts_, {})) add(part.begin, part.end);
}

Json TimedParts::json() const {
  constexpr double steps = 1e6;
  Json::Array all;
  for (const auto& part : parts_) {
    all.emplace_back(Json::Array{std::round(part.begin * steps) / steps, std::round(part.end * steps) / steps});
  }
  return all;
}

}  // namespace banzuke
