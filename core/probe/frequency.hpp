#pragma once

#include <string>
#include <vector>

#include "core/json.hpp"

namespace banzuke {

struct CpuClock {
  int cpu;
  double hz;             // clock under vector FMA load
  double fma_rate;       // flop/s
  double fma_per_cycle;  // vector FMA instructions per cycle
};

// The clock frequencies of a processor while the others are idle.
struct AloneClock {
  int cpu;
  double scalar_hz;
  double vector_hz;  // under vector FMA load: some processors lower the clock for wide vectors
};

struct ClockReport {
  std::string simd;
  int vector_bits;
  std::vector<AloneClock> alone;
  std::vector<CpuClock> cpus;
};

// Measures the processors of `alone` one after another, half a second each, then those of `cpus` simultaneously, one
// pinned thread each, for another half second. Throws std::system_error if a processor is not allowed.
ClockReport measure_clock(const std::vector<int>& cpus, const std::vector<int>& alone);

// Rates in flop/s, clocks in Hz; vector_hz is the slowest processor's, fma_per_cycle the best processor's, scalar_hz
// and single_vector_hz those of the first processor measured alone.
Json to_json(const ClockReport& report);

}  // namespace banzuke
