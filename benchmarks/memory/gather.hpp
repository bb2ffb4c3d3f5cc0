// Random loads of a thread that do not depend on each other, so that the core has as many in flight as it can: loads
// alone, which wait in the core, or loads of lines that were prefetched, which wait in its caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace banzuke::memory {

// Reads the words at the beginnings of random lines; each line's word is a function of its number.
class Gather {
 public:
  // Loads of a group: two from each number of eight sequences of pseudo-random numbers.
  static constexpr std::int64_t group = 16;

  // Writes the words of `size` bytes of lines of `line` bytes, a power of two; of more than 2^32 lines the first.
  Gather(std::byte* start, std::int64_t size, std::int64_t line, std::uint64_t seed);

  // Prefetches each group from now on `groups` groups ahead of its loads; 0: not at all. Begins the sequences again.
  void restart(std::int64_t ahead);
  void run(std::int64_t groups);
  // Returns whether the sum over all loads is wrong, by repeating their addresses without loading.
  bool wrong() const;

  std::uint64_t sum() const { return sum_; }

 private:
  std::byte* start_;
  std::uint64_t lines_;
  unsigned shift_;
  std::uint64_t seed_;
  std::array<std::uint64_t, group / 2> state_;  // of the group that is prefetched next, else loaded
  std::vector<std::uint64_t> ahead_{};          // lines of the groups that are prefetched but not yet loaded
  std::size_t next_ = 0;                        // of these, the one that is loaded next
  std::int64_t groups_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace banzuke::memory
