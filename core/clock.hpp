// Time and the processor's clock.
#pragma once

namespace banzuke {

// Seconds of the monotonic clock.
double now();

// Resolution of now(), in seconds.
double clock_tick();

// Runs `iterations` times `chain_length` dependent XORs: each takes one cycle on every current processor and, unlike
// additions of a constant, is never eliminated at rename. So the time gives the clock frequency.
inline constexpr int chain_length = 64;
void dependent_chain(long iterations);

// Clock frequency of the calling thread's processor, in Hz, from such chains over about `seconds`; best of several
// trials, because interruptions only lengthen them.
double core_hz(double seconds = 2e-3);

// Returns the seconds to transfer a cache line from one processor to another, best of several trials of some
// microseconds; 0 if the processors, or a thread for the other one, are unavailable. Takes milliseconds, even if a
// processor is busy, and a quarter of a second if nothing else can run on it.
double exchange_latency(int cpu, int other);

// Longer than between any two sockets: another process occupied one of the processors all the time.
inline constexpr double longest_exchange = 1e-6;

}  // namespace banzuke
