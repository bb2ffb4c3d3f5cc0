// Rounds of disjoint pairs in which every member is paired with every other once, or with some near and far ones.
#pragma once

#include <cstdint>
#include <string>

#include "core/record.hpp"

namespace banzuke {

// Return the number of rounds in which all pairs meet, and a member's partner in one of them, or -1 if it pauses.
int pair_rounds(int members);
int pair_partner(int member, int round, int members);

// A schedule of the requested number of rounds, or of all with 0. If not all, the first round pairs neighbours (0 and
// 1, 2 and 3, ...), and the others are evenly spaced among all rounds, so that partners are near and far; no pair meets
// twice.
class PairSchedule {
 public:
  PairSchedule(std::int64_t rounds, int members);
  int rounds() const { return rounds_; }
  int partner(int member, int round) const;

 private:
  int members_;
  bool all_;
  int rounds_;
};

// One sample for each member: the median over its pairs, in both directions if both were measured. The pairs themselves
// are recorded besides. `bytes`: what a sample counts.
Metric over_members(const Pairs& pairs, int members, const std::string& name, double bytes = 0.0);

}  // namespace banzuke
