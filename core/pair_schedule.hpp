// Rounds of disjoint pairs in which every member meets every other once, or some near and far ones.
#pragma once

#include <cstdint>
#include <string>

#include "core/record.hpp"

namespace banzuke {

// Rounds in which all meet, and whom a member meets in one of them; -1: it pauses.
int pair_rounds(int members);
int pair_partner(int member, int round, int members);

// The same in those that were asked for; 0: all. Some of all are first that of neighbours, 0 and 1, 2 and 3, ..., then
// rounds at even distances, so that those whom one meets are near and far; no pair meets twice.
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

// One sample a member, the median of its pairs, of both ways where they were measured: those themselves stand beside
// it. `bytes`: that a sample counts.
Metric over_members(const Pairs& pairs, int members, const std::string& name, double bytes = 0.0);

}  // namespace banzuke
