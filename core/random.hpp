// Pseudo-random numbers as a function of their position alone, so that every rank and thread generates its own part;
// constexpr, so that device kernels can call them, too.
#pragma once

#include <cstdint>

namespace banzuke {

// splitmix64's step and finaliser (Steele, Lea, Flood 2014).
inline constexpr std::uint64_t mix_step = 0x9E3779B97F4A7C15U;
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

// Uniform in [-0.5, 0.5). `stream` < 256.
constexpr double uniform(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(mix((stream << 56U) + (index + 1) * mix_step) >> 11U) * 0x1p-53 - 0.5;
}

}  // namespace banzuke
