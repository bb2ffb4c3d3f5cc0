// Cache lines that a single random cycle links, each to the next, for chases of dependent loads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace banzuke::memory {

// A random permutation of n numbers that is one cycle (Sattolo 1986): element i is what follows i.
std::vector<std::int64_t> random_cycle(std::int64_t n, std::uint64_t seed);

// The beginning of a line.
struct Link {
  Link* next;
  std::int64_t place;   // in the cycle, from 0
  std::int64_t visits;  // by the walk that counts them
};
inline constexpr long least_line = 32;
static_assert(sizeof(Link) <= least_line);

// So many loads, each of the address that the one before brought.
Link* chase(Link* from, std::int64_t loads);

class Ring {
 public:
  // Writes into `bytes` of memory at `start`, lines of `line` bytes. `page`: all lines of so many bytes follow each
  // other before those of another such page; 0: any line follows any other.
  Ring(void* start, std::int64_t bytes, std::int64_t line, std::int64_t page, std::uint64_t seed);

  std::int64_t lines() const { return lines_; }
  // Goes round once, and counts the lines that it has not visited exactly once. Leaves the chase at the first.
  std::int64_t missed();
  // Goes on by so many loads.
  void go(std::int64_t loads);
  // Whether the chase is elsewhere than its loads lead, by the places that were written into the lines.
  bool misled() const { return at_->place != expected_; }
  // Whether so many loads from the first line lead to this one.
  bool leads_to(const Link& link, std::int64_t loads) const { return link.place == loads % lines_; }

  // For tests, to break it.
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
