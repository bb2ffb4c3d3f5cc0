// Time breakdown of repeated work, round by round.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/communicator.hpp"
#include "core/record.hpp"

namespace banzuke {

// Seconds of one round on this rank.
template <std::size_t count>
struct RoundTimes {
  std::array<double, count> parts{};  // add up to the whole round
  double overlapped = 0.0;            // upper bound on work done while messages were in flight
};

class Rounds {
 public:
  explicit Rounds(std::span<const std::string_view> parts) : names_(parts.begin(), parts.end()) {}

  template <std::size_t count>
  void add(const RoundTimes<count>& times) {
    seconds_.insert(seconds_.end(), times.parts.begin(), times.parts.end());
    overlapped_ += times.overlapped;
  }

  // The rounds in order, averaged over the ranks; if there are many, several share an interval. `flops`: of one round;
  // `along`: what the intervals are shares of. Collective.
  Breakdown breakdown(std::string along, double flops, const Communicator& ranks) const;
  // The overlapped seconds of a round, averaged over rounds and ranks. Collective.
  double overlapped(const Communicator& ranks) const;

 private:
  std::size_t count() const { return seconds_.size() / names_.size(); }

  std::vector<std::string> names_;
  std::vector<double> seconds_;  // all parts of each round in turn
  double overlapped_ = 0.0;
};

}  // namespace banzuke
