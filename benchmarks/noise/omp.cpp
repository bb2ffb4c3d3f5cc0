#include <omp.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "clock_part.hpp"
#include "core/team.hpp"
#include "counter.hpp"
#include "noise.hpp"
#include "system.hpp"
#include "timer.hpp"
#include "trace.hpp"
#include "work.hpp"

namespace banzuke::noise {
namespace {

constexpr std::int64_t warm_quanta = 1000;
constexpr std::int64_t warm_time = 2'000'000'000;  // ns, if the quanta take longer

struct Quantum {
  std::int64_t end;
  Chunks chunks;  // ns
};

// A quantum begins where the one before it ended: there is no time between them in which noise could hide.
void run_quantum(const Timer& timer, std::int64_t blocks, std::uint64_t& value, Quantum& quantum) {
  for (auto& chunk : quantum.chunks) {
    value = run_blocks(value, blocks);
    const std::int64_t end = timer.read();
    chunk = end - quantum.end;
    quantum.end = end;
  }
}

void take_quanta(const Plan& plan, const Timer& timer, const Counter& counter, Lane& lane) {
  const auto samples = static_cast<std::size_t>(plan.samples);
  std::int64_t ticks = counter.open() ? counter.read() : 0;
  const std::int64_t begin = timer.read();
  Quantum quantum{.end = begin, .chunks = {}};
  for (std::size_t i = 0; i < samples; ++i) {
    const std::int64_t start = quantum.end;
    run_quantum(timer, plan.blocks, lane.value, quantum);
    lane.samples[i] = quantum.end - start;
    lane.even[i] = even_time(quantum.chunks);
    lane.elsewhere += sched_getcpu() != lane.cpu ? 1 : 0;
    if (counter.open()) {
      const std::int64_t now = counter.read();
      lane.user[i] = now - ticks;
      ticks = now;
    }
  }
  lane.span = quantum.end - begin;
  lane.timed_chunks = plan.samples * chunks_of_quantum;
}

// Intervals end at begin + k * interval whatever happens in between, so that samples are uniform in time. A chunk
// counts in the interval in which it ends, so an interval may have none.
void take_intervals(const Plan& plan, const Timer& timer, Lane& lane) {
  const auto samples = static_cast<std::size_t>(plan.samples);
  const std::int64_t begin = timer.read();
  std::int64_t end = begin + plan.interval;
  std::int64_t done = 0;
  for (std::size_t i = 0; i < samples;) {
    lane.value = run_blocks(lane.value, plan.blocks);
    ++lane.timed_chunks;
    const std::int64_t now = timer.read();
    if (now >= end) {
      for (; now >= end && i < samples; end += plan.interval) {
        lane.samples[i++] = done;
        done = 0;
      }
      lane.elsewhere += sched_getcpu() != lane.cpu ? 1 : 0;
    }
    ++done;
  }
  lane.span = end - plan.interval - begin;
}

void warm_up(const Plan& plan, const Timer& timer, Lane& lane) {
  // Chunks of ftq are short, so run as many as take about one interval.
  const std::int64_t chunks = plan.fixed_work ? 1 : std::max(std::int64_t{1}, plan.interval / 12'800);
  const std::int64_t begin = timer.read();
  Quantum quantum{.end = begin, .chunks = {}};
  for (std::int64_t i = 0; i < warm_quanta && quantum.end - begin < warm_time; ++i) {
    for (std::int64_t k = 0; k < chunks; ++k) run_quantum(timer, plan.blocks, lane.value, quantum);
    lane.chunks += chunks * chunks_of_quantum;
  }
}

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

std::int64_t calibrate(double seconds, const Communicator& ranks) {
  constexpr std::int64_t blocks = 5'000;  // about 100 us
  constexpr int trials = 200;
  const Timer timer;
  double best = 0.0;  // blocks per ns
#pragma omp parallel default(none) shared(timer) reduction(max : best)
  {
    std::uint64_t value = seed;
    for (int i = 0; i < trials; ++i) {
      const std::int64_t start = timer.read();
      value = run_blocks(value, blocks);
      best = std::max(best, static_cast<double>(blocks) / static_cast<double>(timer.read() - start));
    }
  }
  best = ranks.maximum(best);
  return std::max<std::int64_t>(1, std::llround(best * seconds * second));
}

Measured take_samples(const Plan& plan, const std::vector<int>& cpus, const Communicator& ranks, const Trace* trace) {
  const auto samples = static_cast<std::size_t>(plan.samples);
  Measured out{.lanes = std::vector<Lane>(cpus.size()), .disturbances = {}};
  const bool counted = plan.fixed_work && Counter::user_time().open();
  // Do here all that can fail; each thread later touches the memory that it writes.
  for (auto& lane : out.lanes) {
    lane.samples.reserve(samples);
    if (plan.fixed_work) lane.even.reserve(samples);
    if (counted) lane.user.reserve(samples);
  }
  const Timer timer;
  Barrier team(static_cast<int>(cpus.size()));
  std::optional<SystemWatch> watch;
#pragma omp parallel default(none) shared(out, plan, cpus, ranks, trace, timer, team, watch, samples, counted)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    Lane& lane = out.lanes[thread];
    lane.cpu = cpus[thread];
    lane.value = seed;
    lane.samples.resize(samples);
    lane.even.resize(lane.even.capacity());
    lane.user.resize(lane.user.capacity());
    const Counter counter = counted ? Counter::user_time() : Counter();
    warm_up(plan, timer, lane);
    const double delayed = run_delay(proc_file("/proc/thread-self/schedstat"));
    const long switched = involuntary_switches();
    team.wait();
    if (thread == 0) {
      ranks.barrier();
      watch.emplace(cpus);
      ranks.barrier();
    }
    team.wait();
    if (trace != nullptr) trace->mark(Trace::begin);
    if (plan.fixed_work) {
      take_quanta(plan, timer, counter, lane);
    } else {
      take_intervals(plan, timer, lane);
    }
    if (trace != nullptr) trace->mark(Trace::end);
    lane.chunks += lane.timed_chunks;
    lane.involuntary_switches = involuntary_switches() - switched;
    if (delayed >= 0.0) lane.run_delay = run_delay(proc_file("/proc/thread-self/schedstat")) - delayed;
    team.wait();
    if (thread == 0 && watch) out.disturbances = watch->since();
  }
  return out;
}

}  // namespace banzuke::noise
