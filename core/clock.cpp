#include "core/clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace banzuke {
namespace {

#if defined(__x86_64__)
#define BANZUKE_LINK "xorq %1, %0\n\t"
#elif defined(__aarch64__)
#define BANZUKE_LINK "eor %0, %0, %1\n\t"
#endif

// Sixty-four dependent exclusive-ors: one cycle each on every core, and, unlike additions of a constant,
// never folded away at rename.
#ifdef BANZUKE_LINK
constexpr int chain_length = 64;

inline std::uint64_t chain(std::uint64_t value, std::uint64_t mask) {
#define BANZUKE_LINK4 BANZUKE_LINK BANZUKE_LINK BANZUKE_LINK BANZUKE_LINK
#define BANZUKE_LINK16 BANZUKE_LINK4 BANZUKE_LINK4 BANZUKE_LINK4 BANZUKE_LINK4
  asm volatile(BANZUKE_LINK16 BANZUKE_LINK16 BANZUKE_LINK16 BANZUKE_LINK16 : "+r"(value) : "r"(mask));
  return value;
}
#else
constexpr int chain_length = 0;

inline std::uint64_t chain(std::uint64_t value, std::uint64_t) { return value; }
#endif

double chain_hz(int rounds) {
  std::uint64_t value = 1;
  const double start = now();
  for (int i = 0; i < rounds; ++i) value = chain(value, static_cast<std::uint64_t>(i));
  const double elapsed = now() - start;
  return static_cast<double>(rounds) * chain_length / elapsed;
}

}  // namespace

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
  if (chain_length == 0) return 0.0;
  constexpr int trials = 8;
  const double guess = chain_hz(256);
  const int rounds = std::max(256, static_cast<int>(guess * seconds / trials / chain_length));
  double best = 0.0;
  for (int i = 0; i < trials; ++i) best = std::max(best, chain_hz(rounds));
  return best;
}

}  // namespace banzuke
