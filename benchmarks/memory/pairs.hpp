// A cache line bouncing between two processors: the token is a number that both increment in turn.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/communicator.hpp"
#include "core/record.hpp"
#include "memory.hpp"

namespace banzuke::memory {

// Two cache lines, because prefetchers fetch them together.
struct alignas(128) Token {
  std::atomic<std::int64_t> value{0};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// Seconds without an answer after which a player gives up.
inline constexpr double patience = 5.0;

// Plays one of the two players of a token with the value `from`: the first player starts, and in the end the token has
// grown by 2 * trips. Returns the number of values that were not one more than the last, plus those that did not
// arrive.
std::int64_t play(Token& token, bool first, std::int64_t from, std::int64_t trips, double wait = patience);

// Warm-up trips of a pair, and trips per sample: microseconds, so that few samples are interrupted.
inline constexpr std::int64_t warm_up_trips = 200;
inline constexpr std::int64_t trips_a_sample = 100;
inline constexpr std::int64_t samples_a_round = 10;

// Returns the number of partners of each rank; 0 means all.
std::int64_t partners_of(const Params& params, int ranks);
inline constexpr int most_with_all = 256;
inline constexpr std::int64_t some = 64;

// Measures the latency of pairs of ranks, one pair at a time while all other ranks sleep.
Result measure_pairs(const Params& params, const Context& context);

}  // namespace banzuke::memory
