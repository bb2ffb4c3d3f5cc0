// HPCC's pseudo-random sequence: a(i) = x^i in the polynomials over GF(2), modulo x^64 + x^2 + x + 1, the coefficient
// of x^k in bit k. constexpr, so that device kernels can call it, too.
#pragma once

#include <cstdint>

namespace banzuke::gups {

// Returns a(i + 1) from a(i), by multiplying by x.
constexpr std::uint64_t next(std::uint64_t a) { return (a << 1U) ^ (a >> 63U) * 7U; }

// Returns the product of two polynomials; that of a(i) and a(j) is a(i + j).
constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  for (unsigned bit = 64; bit-- > 0;) product = next(product) ^ ((b >> bit) & 1U) * a;
  return product;
}

// Returns a(i) for i >= 0, as HPCC's `starts` does.
constexpr std::uint64_t element(std::int64_t i) {
  std::uint64_t a = 1;
  for (unsigned bit = 63; bit-- > 0;) {
    a = multiply(a, a);
    if (((static_cast<std::uint64_t>(i) >> bit) & 1U) != 0) a = next(a);
  }
  return a;
}

// Returns a(1) ^ a(2) ^ ... ^ a(count) without generating these numbers: for 2 k numbers it is s ^ x^k s, where s is
// that of k numbers.
constexpr std::uint64_t checksum(std::int64_t count) {
  std::uint64_t sum = 0;
  std::uint64_t power = 1;
  for (unsigned bit = 63; bit-- > 0;) {
    sum ^= multiply(power, sum);
    power = multiply(power, power);
    if (((static_cast<std::uint64_t>(count) >> bit) & 1U) == 0) continue;
    sum = next(sum ^ 1U);
    power = next(power);
  }
  return sum;
}

}  // namespace banzuke::gups
