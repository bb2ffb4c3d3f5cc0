// Shared by message-passing benchmarks: message sizes, iteration counts, buffers, and the pattern for checking data.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "core/random.hpp"

namespace banzuke {

// Powers of two in [`least`, `most`], preceded by 0 if `least` is 0.
inline std::vector<std::int64_t> message_sizes(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  if (least == 0) sizes.push_back(0);
  for (std::int64_t size = 1; size <= most; size *= 2) {
    if (size >= least) sizes.push_back(size);
  }
  return sizes;
}

struct Count {
  std::int64_t iterations = 0;
  std::int64_t warm_up = 0;
};

// OSU's rule: fewer iterations for messages of more than 8 KiB. A positive `asked` overrides the count, with a tenth of
// it for warm-up.
inline Count count_for(std::int64_t size, Count small, Count large, std::int64_t asked) {
  constexpr std::int64_t large_message = 8192;
  if (asked > 0) return {.iterations = asked, .warm_up = (asked + 9) / 10};
  return size > large_message ? large : small;
}

// A page-aligned buffer, as in OSU's benchmarks: transports treat aligned and unaligned messages differently.
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size), start_(allocate(size)) {}

  std::byte* data() { return start_.get(); }
  const std::byte* data() const { return start_.get(); }
  std::size_t size() const { return size_; }
  std::span<std::byte> first(std::size_t count) { return {start_.get(), count}; }

 private:
  struct Free {
    void operator()(std::byte* start) const { std::free(start); }
  };
  // Writes every byte once, so that no page is first touched in a timed loop. Throws std::bad_alloc.
  static std::byte* allocate(std::size_t size);

  std::size_t size_;
  std::unique_ptr<std::byte, Free> start_;
};

// Fills with bytes that depend on position and `seed`, so that a late, shifted or misdirected message is detected.
void fill(std::span<std::byte> message, std::uint64_t seed);
// The number of bytes that differ from what fill() writes.
std::int64_t mismatches(std::span<const std::byte> message, std::uint64_t seed);

// Memory that a sample takes on rank 0 until the record is written: the number, the record's copies of it, its text.
// Measured with a million samples.
inline constexpr double sample_bytes = 150.0;

// Rounds to 0.1 ns, finer than any clock here resolves; a sample's text becomes a third as long.
inline double quantised(double seconds) {
  constexpr double steps = 1e10;
  return std::round(seconds * steps) / steps;
}

}  // namespace banzuke
