// Pseudo-random numbers as a function of their position alone, so that every rank and thread makes its own part.
#pragma once

#include <cstdint>

namespace banzuke {

// Uniform in [-0.5, 0.5): splitmix64's finaliser (Steele, Lea, Flood 2014) over a counter. `stream` < 256.
inline double uniform(std::uint64_t stream, std::uint64_t index) {
  std::uint64_t z = (stream << 56U) + (index + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  z ^= z >> 31U;
  return static_cast<double>(z >> 11U) * 0x1p-53 - 0.5;
}

}  // namespace banzuke
