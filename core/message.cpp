#include "core/message.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

namespace banzuke {
namespace {

// Eight bytes at once; a message's last few bytes are the first ones of such a word.
std::uint64_t word(std::uint64_t seed, std::size_t index) { return mix(mix(seed) + (index + 1) * mix_step); }

}  // namespace

std::byte* Buffer::allocate(std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t pages = std::max<std::size_t>(1, (size + page - 1) / page);
  void* start = std::aligned_alloc(page, pages * page);
  if (start == nullptr) throw std::bad_alloc();
  std::memset(start, 0, pages * page);
  return static_cast<std::byte*>(start);
}

void fill(std::span<std::byte> message, std::uint64_t seed) {
  for (std::size_t at = 0, index = 0; at < message.size(); at += sizeof(std::uint64_t), ++index) {
    const std::uint64_t value = word(seed, index);
    std::memcpy(message.data() + at, &value, std::min(sizeof value, message.size() - at));
  }
}

std::int64_t mismatches(std::span<const std::byte> message, std::uint64_t seed) {
  std::int64_t wrong = 0;
  const auto compare = [&](std::size_t at, std::size_t length) {
    const std::uint64_t value = word(seed, at / sizeof(std::uint64_t));
    std::uint64_t held = value;
    std::memcpy(&held, message.data() + at, length);
    if (held == value) return;
    const auto expected = std::bit_cast<std::array<std::byte, sizeof value>>(value);
    for (std::size_t i = 0; i < length; ++i) wrong += message[at + i] != expected[i] ? 1 : 0;
  };
  // Whole words first: the compiler knows their length, so there is no function call for each.
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= message.size(); at += sizeof(std::uint64_t)) compare(at, sizeof(std::uint64_t));
  if (at < message.size()) compare(at, message.size() - at);
  return wrong;
}

}  // namespace banzuke
