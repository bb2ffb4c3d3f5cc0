// The official problem's matrix, element by element: the 64-bit linear congruential generator
//   X' = 6364136223846793005 X + 1  (mod 2^64)
// run down the columns of the N x (N+1) matrix [A b], whose first element is one step after the seed 100; an element is
// 0.5 - X / 2^64. A step of any length is also one multiplication and one addition, so every rank and thread generates
// its own elements.
#pragma once

#include <cstdint>

namespace banzuke::hpl {

// X -> factor X + term: several generator steps at once.
struct Jump {
  std::uint64_t factor = 1;
  std::uint64_t term = 0;

  constexpr std::uint64_t operator()(std::uint64_t x) const { return factor * x + term; }
  // This jump followed by `next`.
  constexpr Jump then(const Jump& next) const { return {next.factor * factor, next.factor * term + next.term}; }
};

constexpr Jump steps(std::uint64_t count) {
  Jump power{6364136223846793005U, 1U};
  Jump all;
  for (; count != 0; count >>= 1U) {
    if ((count & 1U) != 0) all = all.then(power);
    power = power.then(power);
  }
  return all;
}

// Both roundings match the official code: of X to 53 bits, and of the difference.
constexpr double value_of(std::uint64_t x) { return 0.5 - static_cast<double>(x) * 0x1p-64; }

constexpr std::uint64_t state(std::int64_t n, std::int64_t row, std::int64_t column) {
  constexpr std::uint64_t seed = 100;
  return steps(static_cast<std::uint64_t>(column) * static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(row) +
               1)(seed);
}

// Element of [A b]: b is column n.
constexpr double element(std::int64_t n, std::int64_t row, std::int64_t column) {
  return value_of(state(n, row, column));
}

}  // namespace banzuke::hpl
