// The work: a chain of integer operations that touches no memory, and what must come out of it.
#pragma once

#include <cstdint>

namespace banzuke::noise {

inline constexpr std::uint64_t multiplier = 6364136223846793005U;  // Knuth's MMIX
inline constexpr std::uint64_t increment = 1442695040888963407U;
inline constexpr std::uint64_t seed = 1;
inline constexpr std::int64_t steps_of_block = 16;

// Takes `blocks` times `steps_of_block` steps x = multiplier * x + increment. Each needs the one before, so that a
// processor can neither overlap them nor fold them, as some do with additions; and each is in the value, so that one
// too few shows.
std::uint64_t run_blocks(std::uint64_t value, std::int64_t blocks);

// The value after so many steps, in about 64 squarings.
std::uint64_t jumped(std::uint64_t value, std::uint64_t steps);

}  // namespace banzuke::noise
