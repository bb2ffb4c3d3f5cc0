#include "core/clock.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "core/binding.hpp"

namespace banzuke {
namespace {

double chain_hz(long iterations) {
  const double start = now();
  dependent_chain(iterations);
  return static_cast<double>(iterations) * chain_length / (now() - start);
}

}  // namespace

void dependent_chain(long iterations) {
  std::uint64_t value = 1;
  std::uint64_t mask = 3;
  asm volatile("" : "+r"(mask));
  for (long i = 0; i < iterations; ++i) {
#pragma GCC unroll 64
    for (int k = 0; k < chain_length; ++k) {
      value ^= mask;
      asm volatile("" : "+r"(value));  // each step has to happen, one instruction each
    }
  }
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double clock_tick() {
  double tick = 1.0;
  for (int i = 0; i < 100; ++i) {
    const double start = now();
    double next = now();
    while (next <= start) next = now();
    tick = std::min(tick, next - start);
  }
  return tick;
}

double core_hz(double seconds) {
  constexpr int trials = 8;
  const double guess = chain_hz(256);
  const long iterations = std::max(256L, std::lround(guess * seconds / trials / chain_length));
  double best = 0.0;
  for (int i = 0; i < trials; ++i) best = std::max(best, chain_hz(iterations));
  return best;
}

double exchange_latency(int cpu, int other) {
  constexpr int exchanges = 50;  // a trial is short, so that a busy processor cannot hold this up for long
  constexpr int trials = 100;
  constexpr double enough = 5e-3;
  constexpr int over = -1;
  alignas(128) std::atomic<int> turn{0};
  std::atomic<bool> bound{true};
  const std::vector<int> own = allowed_cpus();
  const auto bind = [&](int place) {
    try {
      allow_cpus({place});
    } catch (const std::system_error&) {
      bound = false;  // plays on where it is, so that the other one does not wait for ever
    }
  };
  std::thread partner([&] {
    bind(other);
    for (int mine = 1;; mine += 2) {
      int seen = turn.load(std::memory_order_acquire);
      while (seen != mine && seen != over) seen = turn.load(std::memory_order_acquire);
      if (seen == over) return;
      turn.store(mine + 1, std::memory_order_release);
    }
  });
  bind(cpu);
  double best = 1.0;
  const double begin = now();
  for (int trial = 0; trial < trials && now() - begin < enough; ++trial) {
    const double start = now();
    for (int i = 0; i < exchanges; ++i) {
      const int mine = 2 * (trial * exchanges + i);
      turn.store(mine + 1, std::memory_order_release);
      while (turn.load(std::memory_order_acquire) != mine + 2) {
      }
    }
    best = std::min(best, (now() - start) / (2 * exchanges));
  }
  turn.store(over, std::memory_order_release);
  partner.join();
  allow_cpus(own);
  return bound ? best : 0.0;
}

}  // namespace banzuke
