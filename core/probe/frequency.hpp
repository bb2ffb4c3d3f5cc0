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

struct ClockReport {
  std::string simd;
  int vector_bits;
  double scalar_hz;         // first processor, the others idle
  double single_vector_hz;  // the same under vector FMA load: some processors lower the clock for wide vectors
  std::vector<CpuClock> cpus;
};

// Measures all given processors at once, one pinned thread each, in less than a second.
// Throws std::system_error when a processor is not allowed.
ClockReport measure_clock(const std::vector<int>& cpus);

// Rates in flop/s, clocks in Hz; vector_hz is the slowest processor's, fma_per_cycle the best one's.
Json to_json(const ClockReport& report);

}  // namespace banzuke
