// Cache lines linked into a single random cycle, for pointer chasing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace banzuke::memory {

// Returns a random cyclic permutation of n numbers (Sattolo 1986): element i is the successor of i.
std::vector<std::int64_t> random_cycle(std::int64_t n, std::uint64_t seed);

// Calls use(line, next) for each line: all lines form one cycle, in which the lines of a group of `of_group` are
// visited before those of another.
template <class Use>
void each_successor(std::int64_t lines, std::int64_t of_group, std::uint64_t seed, Use use) {
  const std::int64_t groups = (lines + of_group - 1) / of_group;
  const auto next_group = random_cycle(groups, mix(seed));
  for (std::int64_t first = 0; first < lines; first += of_group) {
    const auto here =
        random_cycle(std::min(of_group, lines - first), mix(seed + static_cast<std::uint64_t>(first) + 1));
    for (std::size_t i = 0; i < here.size(); ++i) {
      // The last line of a group's cycle, which would lead back to the group's first line, leads to the first line of
      // another group instead.
      const std::int64_t next =
          here[i] == 0 ? of_group * next_group[static_cast<std::size_t>(first / of_group)] : first + here[i];
      use(first + static_cast<std::int64_t>(i), next);
    }
  }
}

// The beginning of a line.
struct Link {
  Link* next;
  std::int64_t place;   // in the cycle, from 0
  std::int64_t visits;  // counted by missed()
};
inline constexpr long least_line = 32;
static_assert(sizeof(Link) <= least_line);

// Makes `loads` loads, each from the address that the previous one returned.
Link* chase(Link* from, std::int64_t loads);

class Ring {
 public:
  // Links lines of `line` bytes in `bytes` bytes of memory at `start`. With `page`, all lines of a page of this many
  // bytes are visited before those of another; with 0, lines come in any order.
  Ring(void* start, std::int64_t bytes, std::int64_t line, std::int64_t page, std::uint64_t seed);

  std::int64_t lines() const { return lines_; }
  // Traverses the ring once and counts the lines not visited exactly once. Leaves the chase at the first line.
  std::int64_t missed();
  // Continues by `loads` loads.
  void go(std::int64_t loads);
  // Returns whether the chase is at a wrong place, according to the places written into the lines.
  bool misled() const { return at_->place != expected_; }
  // Returns whether `loads` loads from the first line lead to this one.
  bool leads_to(const Link& link, std::int64_t loads) const { return link.place == loads % lines_; }

  // For tests that break the ring.
  Link& link(std::int64_t line) { return *at(line); }

 private:
  Link* at(std::int64_t line) const { return reinterpret_cast<Link*>(start_ + line * line_); }
  void number();

  std::byte* start_;
  std::int64_t line_;
  std::int64_t lines_;
  Link* at_;
  std::int64_t expected_ = 0;
};

}  // namespace banzuke::memory
