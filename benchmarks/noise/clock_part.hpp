// How much of a sample's time is the processor's clock, and not what took the processor away.
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

// ns that a quantum would have taken had nothing interrupted it: of each chunk the least of it and two on either side.
// An event lengthens one chunk, or two where it lies across; a slower clock, or a neighbour on the same core, all of
// them, but none by more than a quarter of the shortest within one quantum. It takes the same time whatever the chunks
// are.
inline std::int64_t even_time(const Chunks& chunks) {
  const Chunks least = least_of_neighbours(least_of_neighbours(chunks));
  std::int64_t shortest = least[0];
  for (const auto chunk : least) shortest = std::min(shortest, chunk);
  std::int64_t sum = 0;
  for (const auto chunk : least) sum += std::min(chunk, shortest + shortest / 4);
  return sum;
}

// The clock's part in ns, by sample of fixed work, at least 0: how much longer than the fastest quantum each would have
// been without an interruption.
std::vector<std::int64_t> clock_part_of_chunks(const Lane& lane);
// The same from a counter that runs only in user mode.
std::vector<std::int64_t> clock_part_of_counter(const Lane& lane);

// Median of what neighbouring samples differ by, in ns: the clock changes seldom, so the method resolves no less. At
// least a step of the clock.
double resolution(const std::vector<std::int64_t>& clock_part);

}  // namespace banzuke::noise
