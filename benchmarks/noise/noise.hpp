// Operating system noise: how much longer the same work takes at times, on all processors at once.
//
//   fwq, fixed work:  for (i = 0; i < samples; ++i) time[i] = seconds of 64 chunks of so many steps
//   ftq, fixed time:  for (i = 0; i < samples; ++i) work[i] = chunks done until start + (i + 1) * quantum
//
// A step is x = multiplier * x + increment mod 2^64 and depends on the previous one: no memory accesses, no reordering.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/application.hpp"

namespace banzuke::noise {

struct Params {
  std::string test = "fwq";
  double quantum = 0.0;
  std::int64_t samples = 0;
  double seconds = 60'000 * 6.13e-3;
  std::string trace = "off";
};

void declare(Parameters& parameters, Params& params);
// Throws UsageError for a call that cannot run.
Problem problem(const Params& params, int ranks);
// Throws UsageError if threads are not bound one to a processor, or cannot be traced.
void check(const Params& params, const Context& context);

// Requested seconds of a quantum, or of an ftq interval, and their number.
double quantum(const Params& params);
std::int64_t samples(const Params& params);

inline constexpr int chunks_of_quantum = 64;
inline constexpr double second = 1e9;  // in clock steps, i.e. nanoseconds

// The amount of every thread's work, equal on all processors of a run.
struct Plan {
  bool fixed_work = true;
  std::int64_t blocks = 1;    // blocks of work.hpp per chunk
  std::int64_t interval = 0;  // of ftq, in ns
  std::int64_t samples = 0;
};

// What one thread measured on its processor.
struct Lane {
  int cpu = 0;
  std::vector<std::int64_t> samples;  // ns of each quantum; chunks done in each interval
  std::vector<std::int64_t> even;     // ns that each quantum would have taken uninterrupted
  std::vector<std::int64_t> user;     // ticks of the counter in each quantum; empty: no counter
  std::int64_t span = 0;              // ns between the first and the last reading of the clock
  std::int64_t elsewhere = 0;         // samples that ended on another processor
  std::int64_t chunks = 0;            // done since `value` was the seed, including warm-up
  std::int64_t timed_chunks = 0;
  std::uint64_t value = 0;
  double run_delay = -1.0;  // s ready but not running; negative: unknown
  long involuntary_switches = 0;
};

class Trace;

// Names of interrupts and the like, and their counts.
using Counts = std::vector<std::pair<std::string, std::int64_t>>;

// What the kernel counted on this rank's processors in the timed part.
struct Disturbances {
  Counts interrupts;
  Counts softirqs;
  double stolen_seconds = 0.0;  // by the hypervisor
};

struct Measured {
  std::vector<Lane> lanes;  // by thread
  Disturbances disturbances;
};

// The backend. calibrate() returns the number of blocks that take `seconds` on the fastest processor of all ranks;
// take_samples() takes the samples of all threads, which start together. `trace` may be null.
std::int64_t calibrate(double seconds, const Communicator& ranks);
Measured take_samples(const Plan& plan, const std::vector<int>& cpus, const Communicator& ranks, const Trace* trace);

Result measure(const Params& params, const Context& context);

}  // namespace banzuke::noise
