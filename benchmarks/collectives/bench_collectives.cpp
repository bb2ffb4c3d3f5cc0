// Measures what the timed loop adds to a call: bench-collectives-mpi [ROUNDS]. Compares an empty call in the program's
// own loop with two bare readings of the system's clock, in turn.
#include <array>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <vector>

#include "core/paired.hpp"
#include "timing.hpp"

namespace {

constexpr double nanoseconds = 1e9;

double mean(const std::vector<double>& values) {
  return nanoseconds * std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

double difference(const timespec& start, const timespec& stop) {
  return static_cast<double>(stop.tv_sec - start.tv_sec) +
         static_cast<double>(stop.tv_nsec - start.tv_nsec) / nanoseconds;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace banzuke;
  const int rounds = positive_argument(argc, argv, 1, 1001);
  std::vector<double> each(1000);
  std::vector<double> empty;
  std::vector<double> bare;
  for (int round = 0; round < rounds; ++round) {
    collectives::time_each(100, each, [] { asm volatile(""); }, [] { asm volatile("" : : : "memory"); });
    empty.push_back(mean(each));
    for (double& seconds : each) {
      std::array<timespec, 2> times{};
      clock_gettime(CLOCK_MONOTONIC, times.data());
      clock_gettime(CLOCK_MONOTONIC, times.data() + 1);
      seconds = difference(times[0], times[1]);
    }
    bare.push_back(mean(each));
  }
  std::printf("an empty call      %6.1f ns, median of %d rounds of %zu\n", median(empty), rounds, each.size());
  std::printf("two clock readings %6.1f ns\n", median(bare));
}
