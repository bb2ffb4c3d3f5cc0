// The data that a target must have after a transfer.
#include "core/message.hpp"
#include "core/random.hpp"
#include "transfer.hpp"

namespace banzuke::transfer {
namespace {

std::uint64_t seed(const Key& key, std::int64_t slot, std::int64_t number) {
  std::uint64_t seed = 0;
  for (const auto part : {key.size, key.round, key.from, key.to, slot, number}) {
    seed = mix(seed + mix_step + static_cast<std::uint64_t>(part));
  }
  return seed;
}

}  // namespace

void fill(std::span<std::byte> part, const Key& key, std::int64_t slot, std::int64_t number) {
  banzuke::fill(part, seed(key, slot, number));
}

std::int64_t wrong(std::span<const std::byte> part, const Key& key, std::int64_t slot, std::int64_t number) {
  return mismatches(part, seed(key, slot, number));
}

}  // namespace banzuke::transfer
