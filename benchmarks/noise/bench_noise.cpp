// Measures what the program itself adds to its samples: the jitter of the work loop, a reading of the clock, and what
// is done between two quanta.
// Usage: bench-noise-omp [SAMPLES]
#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "clock_part.hpp"
#include "core/binding.hpp"
#include "core/paired.hpp"
#include "timer.hpp"
#include "work.hpp"

namespace {

using namespace banzuke::noise;

// Prints the times of consecutive pieces of work, less the shortest. They are so short that the clock frequency rarely
// changes within one.
void print_jitter(const Timer& timer, std::int64_t blocks, std::size_t samples) {
  std::vector<std::int64_t> times(samples);
  std::uint64_t value = run_blocks(seed, 1'000'000);  // some 16 ms, in which the clock rises
  std::int64_t last = timer.read();
  for (auto& time : times) {
    value = run_blocks(value, blocks);
    const std::int64_t now = timer.read();
    time = now - last;
    last = now;
  }
  std::ranges::sort(times);
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(samples - 1))];
  };
  std::printf("%9.2f us  ", 1e-3 * static_cast<double>(times.front()));
  for (const double share : {0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0}) {
    std::printf("%9lld", static_cast<long long>(at(share) - times.front()));
  }
  std::printf("   %s\n", value == 0 ? "0" : "");
}

// Returns the ns of a call, averaged over `repeat` calls.
template <class Call>
double each(const Timer& timer, Call call) {
  constexpr int repeat = 100'000;
  double best = 1e9;
  for (int trial = 0; trial < 20; ++trial) {
    const std::int64_t start = timer.read();
    for (int i = 0; i < repeat; ++i) call();
    best = std::min(best, static_cast<double>(timer.read() - start) / repeat);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const auto samples = static_cast<std::size_t>(banzuke::positive_argument(argc, argv, 1, 100'000));
  banzuke::bind_threads({banzuke::allowed_cpus().back()});
  const Timer timer;
  std::printf("time of the same work, ns above the shortest of %zu\n", samples);
  std::printf("%9s     %9s%9s%9s%9s%9s%9s%9s%9s\n", "shortest", "1%", "25%", "50%", "75%", "90%", "99%", "99.9%",
              "max");
  for (const std::int64_t blocks : {6, 60, 600}) print_jitter(timer, blocks, samples);

  Chunks chunks{};
  chunks.fill(100);
  std::int64_t sum = 0;
  std::printf("a reading of the clock %.1f ns, the undisturbed time of a quantum %.1f ns\n",
              each(timer, [&] { sum += timer.read(); }), each(timer, [&] {
                sum += even_time(chunks);
                asm volatile("" : "+r"(sum) : "r"(chunks.data()) : "memory");
              }));
}
