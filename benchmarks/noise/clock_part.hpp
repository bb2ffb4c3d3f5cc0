// Estimates how much of a sample's excess time is due to the processor's clock rather than to interruptions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "noise.hpp"

namespace banzuke::noise {

using Chunks = std::array<std::int64_t, chunks_of_quantum>;

inline Chunks least_of_neighbours(const Chunks& chunks) {
  Chunks out{};
  out.front() = std::min(chunks[0], chunks[1]);
  out.back() = std::min(chunks[chunks.size() - 2], chunks.back());
  for (std::size_t k = 1; k + 1 < chunks.size(); ++k) out[k] = std::min({chunks[k - 1], chunks[k], chunks[k + 1]});
  return out;
}

// Returns the ns that a quantum would have taken without interruptions: the sum over its chunks of the minimum of each
// and two on either side. An event lengthens one chunk, or two if it straddles them. A slower clock, or a neighbour on
// the same core, lengthens all of them, but none by more than a quarter of the shortest in the quantum. The time of
// this function does not depend on the chunks.
inline std::int64_t even_time(const Chunks& chunks) {
  const Chunks least = least_of_neighbours(least_of_neighbours(chunks));
  std::int64_t shortest = least[0];
  for (const auto chunk : least) shortest = std::min(shortest, chunk);
  std::int64_t sum = 0;
  for (const auto chunk : least) sum += std::min(chunk, shortest + shortest / 4);
  return sum;
}

// Returns the clock's part of each fixed-work sample in ns, at least 0: how much longer than the fastest quantum it
// would have been without interruptions.
std::vector<std::int64_t> clock_part_of_chunks(const Lane& lane);
// The same from a counter that counts only in user mode.
std::vector<std::int64_t> clock_part_of_counter(const Lane& lane);

// Returns the median difference of neighbouring samples in ns, at least one clock step. The clock rarely changes, so
// this is the resolution of the method.
double resolution(const std::vector<std::int64_t>& clock_part);

}  // namespace banzuke::noise
