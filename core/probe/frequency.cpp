// Measures clock frequencies without performance counters.
//
// A chain of dependent one-cycle integer operations takes as many cycles as it has operations, so its time gives the
// clock frequency. XOR of two registers has that property on every current processor; additions of constants do not,
// because some cores eliminate them at rename. For the clock under vector load each thread alternates bursts of FMAs
// (about 200 us) with short chains (about 40 us): processors take longer than that to raise the clock again, and a
// chain that runs alone is not slowed by FMAs on its issue ports.

#include "frequency.hpp"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <exception>
#include <thread>

#include "core/binding.hpp"
#include "core/clock.hpp"
#include "fma.hpp"

namespace banzuke {
namespace {

using Seconds = double;

constexpr Seconds kChainTime = 40e-6;
constexpr Seconds kBurstTime = 200e-6;
constexpr Seconds kScalarWarmUp = 0.05;  // long enough for an idle core to ramp up its clock
constexpr Seconds kVectorWarmUp = 0.05;
constexpr Seconds kTrialTime = 0.06;
constexpr int kTrials = 4;

template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Returns the rate of `work(count)`, in counts per second.
template <class Work>
double timed(Work work, long count) {
  const Seconds start = now();
  work(count);
  return static_cast<double>(count) / (now() - start);
}

// Returns the count with which `work` takes about `target`.
template <class Work>
long calibrate(Work work, Seconds target) {
  double rate = 0;
  for (int i = 0; i < 5; ++i) rate = std::max(rate, timed(work, 100));
  return std::max(1L, std::lround(rate * target));
}

double quantile(std::vector<double>& values, double q) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double scalar_clock() {
  const Seconds begin = now();
  while (now() - begin < kScalarWarmUp) dependent_chain(1000);
  const long length = calibrate(dependent_chain, 2 * kChainTime);
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> rates;
    for (const Seconds start = now(); now() - start < kTrialTime / 2;) rates.push_back(timed(dependent_chain, length));
    best = std::max(best, quantile(rates, 0.5));
  }
  return best * chain_length;
}

struct Trial {
  double hz;
  double burst;       // FMA instructions per second, median
  double best_burst;  // the same, best tenth: excludes interference from neighbours on the same core
};

Trial vector_trial(const FmaKernel& kernel, long burst_length, long chain_count, Seconds duration) {
  std::vector<double> clocks, bursts;
  const auto burst = [&](long n) { keep(kernel.run(n)); };
  for (const Seconds start = now(); now() - start < duration;) {
    bursts.push_back(timed(burst, burst_length) * kernel.instructions);
    clocks.push_back(timed(dependent_chain, chain_count) * chain_length);
  }
  return {quantile(clocks, 0.5), quantile(bursts, 0.5), quantile(bursts, 0.9)};
}

CpuClock vector_clock(int cpu, const FmaKernel& kernel, std::barrier<>& together) {
  const auto burst = [&](long n) { keep(kernel.run(n)); };
  const long burst_length = calibrate(burst, kBurstTime), chain_count = calibrate(dependent_chain, kChainTime);
  together.arrive_and_wait();
  vector_trial(kernel, burst_length, chain_count, kVectorWarmUp);
  CpuClock best{cpu, 0, 0, 0};
  const double flops = 2.0 * kernel.vector_bits / 64;
  for (int i = 0; i < kTrials; ++i) {
    together.arrive_and_wait();
    const Trial trial = vector_trial(kernel, burst_length, chain_count, kTrialTime);
    best.hz = std::max(best.hz, trial.hz);
    best.fma_rate = std::max(best.fma_rate, trial.burst * flops);
    best.fma_per_cycle = std::max(best.fma_per_cycle, trial.best_burst / trial.hz);
  }
  return best;
}

// Measures on a separate thread, so that the caller's binding stays unchanged.
AloneClock alone_clock(int cpu, const FmaKernel& kernel) {
  AloneClock clock{cpu, 0, 0};
  std::exception_ptr problem;
  std::thread([&] {
    try {
      allow_cpus({cpu});
      clock.scalar_hz = scalar_clock();
      std::barrier<> by_itself(1);
      clock.vector_hz = vector_clock(cpu, kernel, by_itself).hz;
    } catch (...) {
      problem = std::current_exception();
    }
  }).join();
  if (problem) std::rethrow_exception(problem);
  return clock;
}

}  // namespace

ClockReport measure_clock(const std::vector<int>& cpus, const std::vector<int>& alone) {
  const FmaKernel kernel = widest_fma();
  ClockReport report{kernel.name, kernel.vector_bits, {}, std::vector<CpuClock>(cpus.size())};
  for (const int cpu : alone) report.alone.push_back(alone_clock(cpu, kernel));
  std::vector<std::exception_ptr> problems(cpus.size());
  std::barrier<> together(static_cast<std::ptrdiff_t>(cpus.size()));
  std::vector<std::thread> threads;
  threads.reserve(cpus.size());
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        allow_cpus({cpus[i]});
        together.arrive_and_wait();
        report.cpus[i] = vector_clock(cpus[i], kernel, together);
      } catch (...) {
        problems[i] = std::current_exception();
        together.arrive_and_drop();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& problem : problems) {
    if (problem) std::rethrow_exception(problem);
  }
  return report;
}

Json to_json(const ClockReport& report) {
  double rate = 0, hz = report.cpus.front().hz, per_cycle = 0;
  Json::Array cpus, alone;
  for (const AloneClock& c : report.alone) {
    alone.push_back(Json::object({{"cpu", c.cpu}, {"scalar_hz", c.scalar_hz}, {"vector_hz", c.vector_hz}}));
  }
  for (const CpuClock& c : report.cpus) {
    rate += c.fma_rate;
    hz = std::min(hz, c.hz);
    per_cycle = std::max(per_cycle, c.fma_per_cycle);
    cpus.push_back(Json::object(
        {{"cpu", c.cpu}, {"vector_hz", c.hz}, {"fma_rate", c.fma_rate}, {"fma_per_cycle", c.fma_per_cycle}}));
  }
  return Json::object({{"simd", report.simd},
                       {"vector_bits", report.vector_bits},
                       {"scalar_hz", report.alone.front().scalar_hz},
                       {"single_vector_hz", report.alone.front().vector_hz},
                       {"vector_hz", hz},
                       {"fma_rate", rate},
                       {"fma_per_cycle", per_cycle},
                       {"alone", std::move(alone)},
                       {"cpus", std::move(cpus)}});
}

}  // namespace banzuke
