#include "core/pair_schedule.hpp"

#include <vector>

#include "core/paired.hpp"

namespace banzuke {

// The circle method: all but the last member rotate, and a member paired with itself meets the last one. With an odd
// number of members there is no last one, so that member pauses.
int pair_rounds(int members) { return members - (members % 2 == 0 ? 1 : 0); }

int pair_partner(int member, int round, int members) {
  const int turning = pair_rounds(members);
  const int last = turning;
  if (member == last) {
    // The member x with 2 x = round (mod turning); unique, because `turning` is odd.
    return round % 2 == 0 ? round / 2 : (round + turning) / 2;
  }
  const int other = (round - member + turning) % turning;
  if (other != member) return other;
  return last < members ? last : -1;
}

// All rounds are taken if only one would be left out, because with four members one of the rounds is that of
// neighbours.
PairSchedule::PairSchedule(std::int64_t rounds, int members)
    : members_(members),
      all_(rounds == 0 || rounds + 1 >= pair_rounds(members)),
      rounds_(all_ ? pair_rounds(members) : static_cast<int>(rounds)) {}

int PairSchedule::partner(int member, int round) const {
  if (all_) return pair_partner(member, round, members_);
  const int neighbour = (member ^ 1) < members_ ? member ^ 1 : -1;
  if (round == 0) return neighbour;
  const std::int64_t between = 2 * round - 1;
  const auto chosen = static_cast<int>(between * pair_rounds(members_) / (2 * (rounds_ - 1)));
  const int found = pair_partner(member, chosen, members_);
  return found == neighbour ? -1 : found;
}

Metric over_members(const Pairs& pairs, int members, const std::string& name, double bytes) {
  std::vector<std::vector<double>> of_member(static_cast<std::size_t>(members));
  for (std::size_t i = 0; i < pairs.values.size(); ++i) {
    of_member[static_cast<std::size_t>(pairs.from[i])].push_back(pairs.values[i]);
    of_member[static_cast<std::size_t>(pairs.to[i])].push_back(pairs.values[i]);
  }
  Metric metric{name, pairs.unit, {}, {.counted = bytes}};
  for (const auto& own : of_member) {
    if (!own.empty()) metric.samples.push_back(median(own));  // the odd member out in a single round has none
  }
  return metric;
}

}  // namespace banzuke
