#include <algorithm>

#include "collectives.hpp"
#include "core/random.hpp"

namespace banzuke::collectives {
namespace {

// Returns the largest value of a factor and of a weight such that the sum of `summands` products of both fits a byte.
std::uint32_t most(int summands) {
  std::uint32_t value = 1;
  while ((value + 1) * (value + 1) * static_cast<std::uint32_t>(summands) <= 0xFFU) ++value;
  return value;
}

// Maps `bits` random bits to a number below `limit`.
std::uint32_t below(std::uint64_t random, unsigned bits, std::uint64_t limit) {
  return static_cast<std::uint32_t>((random * limit) >> bits);
}

}  // namespace

std::vector<Arrival> arrivals(const Shape& shape, std::int64_t size, int rank, int ranks) {
  const std::int64_t count = elements(shape.receives, size, rank, ranks);
  if (count == 0) return {};
  if (shape.sums) {
    std::int64_t before = 0;  // elements of the sum that belong to earlier ranks
    if (shape.receives.blocks == Blocks::part)
      before = rank * (size / ranks) + std::min<std::int64_t>(rank, size % ranks);
    return {{.origin = Arrival::all, .position = before, .at = 0, .count = count}};
  }
  const std::int64_t position = shape.sends.blocks == Blocks::each ? rank * size : 0;
  if (shape.receives.blocks == Blocks::each) {
    std::vector<Arrival> all;
    all.reserve(static_cast<std::size_t>(ranks));
    for (int origin = 0; origin < ranks; ++origin) {
      all.push_back({.origin = origin, .position = position, .at = origin * size, .count = size});
    }
    return all;
  }
  // The root of a broadcast receives nothing: the call's only buffer has held its message before.
  if (shape.sends.blocks == Blocks::one && rank == root) return {};
  return {{.origin = root, .position = position, .at = 0, .count = count}};
}

Data::Data(const Shape& shape, std::uint64_t call, int ranks) : call_(call) {
  constexpr int group = 16;
  most_ = most(shape.sums ? std::min(ranks, group) : 1);
  totals_.resize(shape.sums ? static_cast<std::size_t>((ranks + group - 1) / group) : 1);
  for (int rank = 0; rank < ranks; ++rank) totals_[static_cast<std::size_t>(rank) % totals_.size()] += factor(rank);
}

std::uint32_t Data::factor(int rank) const {
  return 1 + below(mix(~mix(call_) + (static_cast<std::uint64_t>(rank) + 1) * mix_step) >> 32U, 32, most_);
}

template <class Visit>
void Data::each(int origin, std::int64_t position, std::size_t count, Visit visit) const {
  const bool sum = origin == Arrival::all;
  const std::uint32_t own = sum ? 0 : factor(origin);
  const std::size_t own_group = sum ? 0 : static_cast<std::size_t>(origin) % totals_.size();
  const std::uint64_t seed = mix(call_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t random = mix(seed + (static_cast<std::uint64_t>(position) + i + 1) * mix_step);
    const std::uint32_t weight = 1 + below(random & 0xFFFFU, 16, most_);
    const std::size_t group = below(random >> 32U, 32, totals_.size());
    const std::uint32_t element = sum ? totals_[group] * weight : (group == own_group ? own * weight : 0);
    visit(i, static_cast<std::byte>(element));
  }
}

void Data::fill(std::span<std::byte> message, int origin, std::int64_t position) const {
  each(origin, position, message.size(), [&](std::size_t i, std::byte x) { message[i] = x; });
}

void Data::spoil(std::span<std::byte> message, int origin, std::int64_t position) const {
  each(origin, position, message.size(), [&](std::size_t i, std::byte x) { message[i] = ~x; });
}

std::int64_t Data::wrong(std::span<const std::byte> message, int origin, std::int64_t position) const {
  std::int64_t count = 0;
  each(origin, position, message.size(), [&](std::size_t i, std::byte x) { count += message[i] != x ? 1 : 0; });
  return count;
}

}  // namespace banzuke::collectives
