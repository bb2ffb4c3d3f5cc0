#include "core/clock.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

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

}  // namespace banzuke
