#include "cyclic.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace banzuke::hpl {

Turns take_turns(int ranks) {
  Turns turns{.ranks = ranks, .owner = std::vector<int>(static_cast<std::size_t>(ranks))};
  std::iota(turns.owner.begin(), turns.owner.end(), 0);
  return turns;
}

// The next block goes to whoever's half block more is due first (Webster's method of apportionment), and to the first
// of several.
Turns deal_by_shares(std::span<const double> shares) {
  if (std::ranges::all_of(shares, [&](double share) { return share == shares.front(); })) {
    return take_turns(static_cast<int>(shares.size()));
  }
  // Rounded to whole blocks of a period, a share is wrong by 1/128 of the mean share at most.
  constexpr std::size_t blocks_of_each = 64;
  using Due = std::pair<double, int>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue;
  for (std::size_t rank = 0; rank < shares.size(); ++rank) queue.emplace(0.5 / shares[rank], static_cast<int>(rank));
  Turns turns{.ranks = static_cast<int>(shares.size()), .owner = {}};
  std::vector<double> dealt(shares.size());
  for (std::size_t i = 0; i < blocks_of_each * shares.size(); ++i) {
    const int rank = queue.top().second;
    queue.pop();
    turns.owner.push_back(rank);
    const auto at = static_cast<std::size_t>(rank);
    queue.emplace((++dealt[at] + 0.5) / shares[at], rank);
  }
  return turns;
}

std::int64_t most_indices(std::int64_t block, const Turns& turns, std::int64_t count) {
  const auto period = std::ssize(turns.owner) * block;
  std::vector<std::int64_t> own(static_cast<std::size_t>(turns.ranks));
  const auto deal = [&](std::int64_t until, std::int64_t times) {
    for (std::int64_t begin = 0; begin < until; begin += block) {
      const int owner = turns.owner[static_cast<std::size_t>(begin / block)];
      own[static_cast<std::size_t>(owner)] += std::min(block, until - begin) * times;
    }
  };
  deal(period, count / period);
  deal(count % period, 1);
  return std::ranges::max(own);
}

Cyclic::Cyclic(std::int64_t block_, const Turns& turns, int rank_)
    : block(block_), ranks(turns.ranks), rank(rank_), owners_(turns.owner), earlier_(turns.owner.size()) {
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    earlier_[i] = static_cast<int>(places_.size());
    if (owners_[i] == rank) places_.push_back(static_cast<int>(i));
  }
}

}  // namespace banzuke::hpl
