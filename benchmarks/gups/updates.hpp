// Updates of one thread, deferred until their words are in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "gups.hpp"
#include "sequence.hpp"

namespace banzuke::gups {

struct Atomic {
  static void change(std::uint64_t& word, std::uint64_t a) {
    std::atomic_ref(word).fetch_xor(a, std::memory_order_relaxed);
  }
};
struct Plain {  // exact if no other thread changes the table
  static void change(std::uint64_t& word, std::uint64_t a) { word ^= a; }
};

// Makes updates first + 1 to last of a table of `mask` + 1 words. Up to `kept` of them, at most most_kept, wait for
// their prefetched words, in order.
template <class Change>
void update(std::uint64_t* table, std::uint64_t mask, std::int64_t first, std::int64_t last, std::int64_t kept) {
  std::array<std::uint64_t, most_kept> waiting;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  const auto ahead = static_cast<std::size_t>(std::min(kept, last - first));
  std::uint64_t a = element(first);
  for (std::size_t i = 0; i < ahead; ++i) {
    a = next(a);
    __builtin_prefetch(table + (a & mask), 1);
    waiting[i] = a;
  }
  std::size_t oldest = 0;
  for (std::int64_t i = first + static_cast<std::int64_t>(ahead); i < last; ++i) {
    const std::uint64_t ready = waiting[oldest];
    a = next(a);
    __builtin_prefetch(table + (a & mask), 1);
    waiting[oldest] = a;
    if (++oldest == ahead) oldest = 0;
    Change::change(table[ready & mask], ready);
  }
  for (std::size_t i = 0; i < ahead; ++i) Change::change(table[waiting[i] & mask], waiting[i]);
}

}  // namespace banzuke::gups
