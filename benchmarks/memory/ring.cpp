#include "ring.hpp"

#include <new>
#include <numeric>
#include <utility>

namespace banzuke::memory {

std::vector<std::int64_t> random_cycle(std::int64_t n, std::uint64_t seed) {
  std::vector<std::int64_t> next(static_cast<std::size_t>(n));
  std::iota(next.begin(), next.end(), 0);
  for (std::size_t i = next.size(); i-- > 1;) {
    std::swap(next[i], next[mix(seed + (i + 1) * mix_step) % i]);  // never with itself, so there is one cycle
  }
  return next;
}

Link* chase(Link* from, std::int64_t loads) {
  constexpr std::int64_t unrolled = 32;
  Link* at = from;
  for (; loads >= unrolled; loads -= unrolled) {
#pragma GCC unroll 32
    for (int k = 0; k < unrolled; ++k) at = at->next;
  }
  for (; loads > 0; --loads) at = at->next;
  return at;
}

Ring::Ring(void* start, std::int64_t bytes, std::int64_t line, std::int64_t page, std::uint64_t seed)
    : start_(static_cast<std::byte*>(start)), line_(line), lines_(bytes / line), at_(at(0)) {
  each_successor(lines_, page > 0 ? page / line : lines_, seed, [&](std::int64_t number, std::int64_t next) {
    ::new (at(number)) Link{.next = at(next), .place = -1, .visits = 0};
  });
  number();
}

void Ring::number() {
  Link* link = at(0);
  for (std::int64_t place = 0; place < lines_; ++place) {
    link->place = place;
    link = link->next;
  }
}

void Ring::go(std::int64_t loads) {
  at_ = chase(at_, loads);
  expected_ = (expected_ + loads) % lines_;
}

}  // namespace banzuke::memory
