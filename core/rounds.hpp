// Where the time of work that is repeated went, round by round.
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
  std::array<double, count> parts{};  // which add up to all of it
  double overlapped = 0.0;            // of work while messages travelled, at most
};

class Rounds {
 public:
  explicit Rounds(std::span<const std::string_view> parts) : names_(parts.begin(), parts.end()) {}

  template <std::size_t count>
  void add(const RoundTimes<count>& times) {
    seconds_.insert(seconds_.end(), times.parts.begin(), times.parts.end());
    overlapped_ += times.overlapped;
  }

  // One after the other, as means over the ranks; many short ones share an interval. `flops` are those of a round;
  // `along` says of what the intervals are shares. Collective.
  Breakdown breakdown(std::string along, double flops, const Communicator& ranks) const;
  // Of a round: the mean over rounds and ranks. Collective.
  double overlapped(const Communicator& ranks) const;

 private:
  std::size_t count() const { return seconds_.size() / names_.size(); }

  std::vector<std::string> names_;
  std::vector<double> seconds_;  // of each round all parts
  double overlapped_ = 0.0;
};

}  // namespace banzuke
