// Compares the solver's iterations with STREAM's Triad and with loads alone, in turn, on all ranks that the launcher
// started: flop/s for each byte/s of Triad.
// Usage: bench-geofem-omp [NODES [ROUNDS]], NODES along each edge of a core's cube.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/clock.hpp"
#include "core/paired.hpp"
#include "geofem.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

using namespace banzuke;
using namespace banzuke::geofem;

class Triad {
 public:
  explicit Triad(std::int64_t size) : n_(size), a_(to_size(n_)), b_(to_size(n_), 1088), c_(to_size(n_), 2176) {
    for (Array<double>* one : {&a_, &b_, &c_}) {
      double* x = one->data();
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < n_; ++i) x[i] = 1.0;
    }
  }

  // Runs Triad once and returns its seconds.
  double run() {
    const double start = now();
    double* a = a_.data();
    const double* b = b_.data();
    const double* c = c_.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n_ / 8; ++i) {
      for (std::int64_t j = 8 * i; j < 8 * i + 8; j += 2) {
#if defined(__SSE2__)
        _mm_stream_pd(a + j, _mm_add_pd(_mm_load_pd(b + j), _mm_mul_pd(_mm_set1_pd(3.0), _mm_load_pd(c + j))));
#else
        for (std::int64_t k = j; k < j + 2; ++k) a[k] = b[k] + 3.0 * c[k];
#endif
      }
    }
    return now() - start;
  }

  // Loads the same number of bytes and returns the seconds.
  double read() {
    const double start = now();
    double sum = 0.0;
    for (const Array<double>* one : {&a_, &b_, &c_}) {
      const double* x = one->data();
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
      for (std::int64_t i = 0; i < n_; ++i) sum += x[i];
    }
    sum_ = sum;
    return now() - start;
  }

 private:
  static std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

  std::int64_t n_;
  Array<double> a_, b_, c_;
  volatile double sum_ = 0.0;  // so that the compiler computes it
};

struct Timed {
  std::string name;
  std::function<double()> run;  // returns this rank's seconds
  double work;                  // of one run on all ranks
  std::vector<double> seconds;
};

void bench(const Communicator& ranks, int edge, int rounds) {
  const std::vector<int> cpus = allowed_cpus();
  // If the launcher has bound the ranks, each has only its own processors, fewer than there are ranks.
  const auto all = static_cast<std::size_t>(ranks.size());
  const auto each = cpus.size() < all ? cpus.size() : cpus.size() / all;
  const auto first = cpus.begin() + (cpus.size() < all ? 0 : static_cast<std::ptrdiff_t>(each) * ranks.local_rank());
  bind_threads({first, first + static_cast<std::ptrdiff_t>(each)});
  const auto threads = static_cast<std::int64_t>(each);

  constexpr std::int64_t elements = 1 << 23;  // of a thread
  constexpr std::int64_t iterations = 4;
  Triad triad(elements * threads);
  std::vector<Timed> ways;
  const double bytes = 24.0 * static_cast<double>(elements * threads * ranks.size());
  ways.push_back({"Triad", [&] { return triad.run(); }, bytes, {}});
  ways.push_back({"loads alone", [&] { return triad.read(); }, bytes, {}});
  std::vector<std::unique_ptr<Cube>> cubes;
  for (const std::string ordering : {"mc", "cm-rcm", "rcm"}) {
    for (const std::string format : {"blocked", "crs"}) {
      const Params params = complete(
          {.nx = edge, .ny = edge, .nz = edge * threads * ranks.size(), .ordering = ordering, .format = format},
          ranks.size());
      cubes.push_back(std::make_unique<Cube>(params, ranks));
      ways.push_back({ordering + ", " + format,
                      [&cube = *cubes.back()] { return cube.solve(iterations).seconds; },
                      static_cast<double>(iterations) * work(params).counted,
                      {}});
    }
  }
  for (int round = -1; round < rounds; ++round) {  // the first round warms up
    for (auto& way : ways) {
      ranks.barrier();
      const double seconds = ranks.maximum(way.run());
      if (round >= 0) way.seconds.push_back(seconds);
    }
  }
  if (ranks.rank() != 0) return;
  std::printf("%d^3 nodes a core, %d ranks x %zu threads, %d rounds in turn\n", edge, ranks.size(), each, rounds);
  for (const auto& way : ways) {
    std::vector<double> ratios;
    ratios.reserve(way.seconds.size());
    for (std::size_t round = 0; round < way.seconds.size(); ++round) {
      ratios.push_back(way.work / way.seconds[round] / (ways[0].work / ways[0].seconds[round]));
    }
    std::printf("%-20s %8.2f G/s   %.3f a byte of Triad\n", way.name.c_str(), way.work / median(way.seconds) / 1e9,
                median(ratios));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  bench(ranks, positive_argument(argc, argv, 1, 40), positive_argument(argc, argv, 2, 11));
}
