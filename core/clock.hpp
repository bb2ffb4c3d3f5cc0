// Time and the processor's clock.
#pragma once

namespace banzuke {

// Seconds of the monotonic clock.
double now();

// Smallest step that now() shows, in seconds.
double clock_tick();

// Runs `iterations` times `chain_length` dependent exclusive-ors: one cycle each on every current processor, and,
// unlike additions of a constant, never folded away while renaming. So its time gives the clock.
inline constexpr int chain_length = 64;
void dependent_chain(long iterations);

// Clock of the processor that the calling thread runs on, in Hz, from such chains over about `seconds`; best of
// several trials, because interruptions only lengthen them.
double core_hz(double seconds = 2e-3);

// Seconds for a cache line to pass from one processor to another, best of several trials of some microseconds; 0: the
// processors, or a thread for the other one, are not to be had. Takes milliseconds, also where somebody is busy there,
// and a quarter of a second where nobody else gets the processor.
double exchange_latency(int cpu, int other);

// Longer than it takes between any two sockets: somebody else had one of the processors all the time.
inline constexpr double longest_exchange = 1e-6;

}  // namespace banzuke
