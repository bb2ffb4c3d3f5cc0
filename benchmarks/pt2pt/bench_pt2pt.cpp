// Measures what the timed loop adds to an exchange: mpiexec -n 2 bench-pt2pt-mpi [ROUNDS]. First times an empty
// exchange, and then compares, in turn, latency at 8 B with two clock readings per sample and with one reading before
// and one after all exchanges.
#include <cstdio>
#include <numeric>
#include <vector>

#include "core/communicator.hpp"
#include "core/paired.hpp"
#include "pt2pt.hpp"
#include "timing.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::pt2pt;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void compare(const Communicator& ranks, int rounds) {
  constexpr std::int64_t exchanges = 500;
  constexpr double nanoseconds = 1e9;
  constexpr std::int64_t size = matrix::latency_size;
  const Side here = side(ranks.rank(), ranks.size());
  Messages messages(ranks, {.test = "latency", .max_size = size});
  std::vector<double> empty;
  std::vector<double> sampled;
  std::vector<double> added;
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    const auto nothing = timed_loop({.iterations = exchanges, .warm_up = 0}, [] {}, [] { asm volatile(""); });
    const double of_samples =
        mean(messages.timed(Exchange::latency, here, size, {.iterations = exchanges, .warm_up = 0}, false));
    const double start = now();
    messages.timed(Exchange::latency, here, size, {.iterations = 0, .warm_up = exchanges}, false);
    const double of_all = (now() - start) / static_cast<double>(exchanges);
    if (round < 0) continue;
    empty.push_back(nanoseconds * mean(nothing));
    sampled.push_back(nanoseconds * of_samples);
    added.push_back(nanoseconds * (of_samples - of_all));
  }
  if (ranks.rank() != 0) return;
  std::printf("an empty exchange            %8.1f ns, median of %d rounds\n", median(empty), rounds);
  std::printf("a round trip of %d B, sampled %8.1f ns\n", static_cast<int>(size), median(sampled));
  std::printf("more than without samples    %8.1f ns\n", median(added));
}

}  // namespace

int main(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  if (ranks.size() != 2) {
    if (ranks.rank() == 0) std::fprintf(stderr, "start two ranks: mpiexec -n 2 %s\n", argv[0]);
    return 2;
  }
  compare(ranks, positive_argument(argc, argv, 1, 1001));
  return 0;
}
