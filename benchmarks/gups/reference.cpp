#include "reference.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "sequence.hpp"

namespace banzuke::gups {

void replay_words(std::span<std::uint64_t> table, std::int64_t updates) {
  constexpr std::int64_t block = std::int64_t{1} << 16U;
  constexpr std::int64_t batch = 64;
  const auto size = static_cast<std::uint64_t>(table.size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t first = 0; first < updates; first += block) {
    std::array<std::uint64_t, batch> numbers{};
    std::uint64_t a = element(first + 1);
    const std::int64_t last = std::min(first + block, updates);
    for (std::int64_t start = first; start < last; start += batch) {
      const auto count = static_cast<std::size_t>(std::min(batch, last - start));
      for (std::size_t i = 0; i < count; ++i) {
        numbers[i] = a;
        __builtin_prefetch(&table[a % size], 1);
        a = next(a);
      }
      for (std::size_t i = 0; i < count; ++i) {
        std::atomic_ref(table[numbers[i] % size]).fetch_xor(numbers[i], std::memory_order_relaxed);
      }
    }
  }
}

Tally tally_words(std::span<const std::uint64_t> table, std::uint64_t first) {
  Tally tally;
  const auto n = static_cast<std::int64_t>(table.size());
  std::uint64_t all = 0;
  std::int64_t right = 0;
#pragma omp parallel for schedule(static) reduction(^ : all) reduction(+ : right)
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t word = table[static_cast<std::size_t>(i)];
    all ^= word;
    if (word == first + static_cast<std::uint64_t>(i)) ++right;
  }
  tally.checksum = all;
  tally.right = right;
  return tally;
}

}  // namespace banzuke::gups
