// Time and the processor's clock.
#pragma once

namespace banzuke {

// Seconds of the monotonic clock.
double now();

// Smallest step that now() shows, in seconds.
double clock_tick();

// Clock of the processor that the calling thread runs on, in Hz: the rate of a chain of dependent one-cycle
// integer operations over about `seconds`, best of several trials because interruptions only lengthen them.
// 0 where no such chain is known for the architecture.
double core_hz(double seconds = 2e-3);

}  // namespace banzuke
