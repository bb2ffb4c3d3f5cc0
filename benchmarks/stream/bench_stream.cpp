// Compares our Triad with what users have: the plain loop as compiled, and loops written by hand.
// Usage: bench-stream-omp [ELEMENTS [ROUNDS]]
#include <algorithm>
#include <cstdio>
#include <memory>

#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/clock.hpp"
#include "core/paired.hpp"
#include "loops.hpp"
#include "stream.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace {

using namespace banzuke;

void touch(double* a, double* b, double* c, std::int64_t n) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    a[i] = 1.0;
    b[i] = 2.0;
    c[i] = 0.0;
  }
}

// Arrays on huge pages and with offsets as ours have, so that only the loops differ.
struct Arrays {
  explicit Arrays(std::int64_t n)
      : a(static_cast<std::size_t>(n)),
        b(static_cast<std::size_t>(n), stream::skew),
        c(static_cast<std::size_t>(n), 2 * stream::skew) {
    touch(a.data(), b.data(), c.data(), n);
  }

  Array<double> a, b, c;
};

// Arrays as in a program that uses malloc.
struct Allocated {
  explicit Allocated(std::int64_t n)
      : a(new double[static_cast<std::size_t>(n)]),
        b(new double[static_cast<std::size_t>(n)]),
        c(new double[static_cast<std::size_t>(n)]) {
    touch(a.get(), b.get(), c.get(), n);
  }

  std::unique_ptr<double[]> a, b, c;  // NOLINT(modernize-avoid-c-arrays): not initialised before touch()
};

void plain_triad(double* a, const double* b, const double* c, std::int64_t n) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + stream::scalar * c[i];
}

#if defined(__AVX512F__)
// Written for this one loop, without our abstraction: one non-temporal store per cache line.
void hand_triad(double* a, const double* b, const double* c, std::int64_t n) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n / 8; ++i) {
    _mm512_stream_pd(a + 8 * i, _mm512_fmadd_pd(_mm512_set1_pd(stream::scalar), _mm512_load_pd(c + 8 * i),
                                                _mm512_load_pd(b + 8 * i)));
  }
}

// The same with both inputs prefetched a kilobyte ahead.
void prefetching_triad(double* a, const double* b, const double* c, std::int64_t n) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n / 8; ++i) {
    _mm_prefetch(b + 8 * i + 128, _MM_HINT_T0);
    _mm_prefetch(c + 8 * i + 128, _MM_HINT_T0);
    _mm512_stream_pd(a + 8 * i, _mm512_fmadd_pd(_mm512_set1_pd(stream::scalar), _mm512_load_pd(c + 8 * i),
                                                _mm512_load_pd(b + 8 * i)));
  }
}

// Reads a block of both inputs into the L1 cache and then writes a block, so that the memory bus switches less often
// between reads and writes.
void blocked_triad(double* a, const double* b, const double* c, std::int64_t n) {
  constexpr std::int64_t block = 1024;
#pragma omp parallel for schedule(static)
  for (std::int64_t start = 0; start < n / block * block; start += block) {
    for (std::int64_t i = start; i < start + block; i += 8) {
      _mm_prefetch(b + i, _MM_HINT_T0);
      _mm_prefetch(c + i, _MM_HINT_T0);
    }
    for (std::int64_t i = start; i < start + block; i += 8) {
      _mm512_stream_pd(a + i,
                       _mm512_fmadd_pd(_mm512_set1_pd(stream::scalar), _mm512_load_pd(c + i), _mm512_load_pd(b + i)));
    }
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = std::max(positive_argument(argc, argv, 1, 1 << 26) / 1024, 1) * std::int64_t{1024};
  const int rounds = positive_argument(argc, argv, 2, 21);
  const std::vector<int> cpus = allowed_cpus();
  bind_threads(cpus);
  Arrays arrays(n);
  const Allocated allocated(n);
  double* a = arrays.a.data();
  double* b = arrays.b.data();
  double* c = arrays.c.data();
  stream::Stream ours({.n = n});
  stream::Stream stored({.n = n, .stores = "plain"});
  const std::vector<Way> ways{
      {"ours, nontemporal", [&] { ours.run(stream::Kernel::triad); }},
      {"ours, plain stores", [&] { stored.run(stream::Kernel::triad); }},
      {"plain loop, memory of malloc",
       [&] { plain_triad(allocated.a.get(), allocated.b.get(), allocated.c.get(), n); }},
      {"plain loop, our memory", [&] { plain_triad(a, b, c, n); }},
#if defined(__AVX512F__)
      {"hand-written AVX-512", [&] { hand_triad(a, b, c, n); }},
      {"hand-written AVX-512, prefetching", [&] { prefetching_triad(a, b, c, n); }},
      {"hand-written AVX-512, blocked", [&] { blocked_triad(a, b, c, n); }},
#endif
  };
  std::printf("Triad, %lld elements, %zu threads, %d rounds in turn", static_cast<long long>(n), cpus.size(), rounds);
  if (cpus.size() > 1) std::printf(", exchange latency %.0f ns", exchange_latency(cpus.front(), cpus.back()) * 1e9);
  std::printf("\n");
  compare_ways(ways, rounds, stream::work(stream::Kernel::triad, n).counted, "GB/s");
}
