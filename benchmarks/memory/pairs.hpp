// A cache line that goes to and fro between two processors: the token is a number that each of them makes one more.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/communicator.hpp"
#include "core/record.hpp"
#include "memory.hpp"

namespace banzuke::memory {

// Two lines, which prefetchers fetch together.
struct alignas(128) Token {
  std::atomic<std::int64_t> value{0};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// Seconds in which nothing comes, after which a player gives up.
inline constexpr double patience = 5.0;

// One of the two players of a token whose value is `from`: the first begins, and the token is 2 * trips more in the
// end. Returns how many values came that were not one more than the last, and those that did not come at all.
std::int64_t play(Token& token, bool first, std::int64_t from, std::int64_t trips, double wait = patience);

// Trips of a pair before it is timed, and those of a sample: microseconds, so that few samples are interrupted.
inline constexpr std::int64_t warm_up_trips = 200;
inline constexpr std::int64_t trips_a_sample = 100;
inline constexpr std::int64_t samples_a_round = 10;

// With how many others each rank plays; 0: all.
std::int64_t partners_of(const Params& params, int ranks);
inline constexpr int most_with_all = 256;
inline constexpr std::int64_t some = 64;

// Latency of the pairs of ranks, one pair after the other while all other ranks sleep.
Result measure_pairs(const Params& params, const Context& context);

}  // namespace banzuke::memory
