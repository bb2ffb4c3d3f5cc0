#include "core/clock.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
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

// A ping-pong between two threads: whose turn it is, and an end flag so that neither side waits for ever.
struct Game {
  static constexpr int not_begun = -2;
  static constexpr int no_partner = -1;
  static constexpr int begun = 0;  // steps count from 1
  alignas(128) std::atomic<int> turn{not_begun};
  alignas(128) std::atomic<bool> over{false};

  // Waits for `step`; returns false if it will not come. Reads the clock only occasionally, because that takes as long
  // as a step.
  bool wait_for(int step, double deadline) const {
    constexpr int looks = 4096;
    for (int look = 1; turn.load(std::memory_order_acquire) != step; ++look) {
      if (look % looks == 0 && (over.load() || now() > deadline)) return false;
    }
    return true;
  }
};

void answer(Game& game, int cpu) {
  try {
    allow_cpus({cpu});
  } catch (const std::system_error&) {
    game.turn = Game::no_partner;
    game.turn.notify_one();
    return;
  }
  game.turn = Game::begun;
  game.turn.notify_one();
  for (int step = 1; game.wait_for(step, std::numeric_limits<double>::infinity()); step += 2) {
    game.turn.store(step + 1, std::memory_order_release);
  }
}

// Returns the seconds per step between the calling thread's processor and another one; 0 if that one is unavailable.
double play(int other) {
  constexpr int exchanges = 50;  // short trials, so that a busy processor cannot delay this for long
  constexpr int trials = 100;
  constexpr double enough = 5e-3;
  constexpr double hopeless = 0.25;  // the partner does not get its processor any more
  Game game;
  std::thread partner([&] { answer(game, other); });
  game.turn.wait(Game::not_begun);  // the partner starts on this processor, so do not spin here
  double best = 0.0;
  const double begin = now();
  bool going = game.turn != Game::no_partner;
  for (int trial = 0; trial < trials && going && now() - begin < enough; ++trial) {
    const double start = now();
    for (int i = 0; i < exchanges && going; ++i) {
      const int mine = 2 * (trial * exchanges + i);
      game.turn.store(mine + 1, std::memory_order_release);
      going = game.wait_for(mine + 2, begin + hopeless);
    }
    const double seconds = (now() - start) / (2 * exchanges);
    if (going && (trial == 0 || seconds < best)) best = seconds;
  }
  game.over = true;
  partner.join();
  return best;
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
      asm volatile("" : "+r"(value));  // keeps every step, as one instruction
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
  const std::vector<int> own = allowed_cpus();
  double seconds = 0.0;
  try {
    allow_cpus({cpu});
    seconds = play(other);
  } catch (const std::system_error&) {
    seconds = 0.0;  // the processor is not allowed, or no thread can be started
  }
  allow_cpus(own);
  return seconds;
}

}  // namespace banzuke
