// The work, a chain of integer operations without memory accesses, and its expected result.
#pragma once

#include <cstdint>

namespace banzuke::noise {

inline constexpr std::uint64_t multiplier = 6364136223846793005U;  // Knuth's MMIX
inline constexpr std::uint64_t increment = 1442695040888963407U;
inline constexpr std::uint64_t seed = 1;
inline constexpr std::int64_t steps_of_block = 16;

// Makes `blocks` times `steps_of_block` steps x = multiplier * x + increment. Each depends on the previous one, so that
// a processor can neither overlap nor fold them, as some do with additions; and each affects the value, so that a
// missing one is detected.
std::uint64_t run_blocks(std::uint64_t value, std::int64_t blocks);

// Returns the value after `steps` steps, in about 64 squarings.
std::uint64_t jumped(std::uint64_t value, std::uint64_t steps);

}  // namespace banzuke::noise
