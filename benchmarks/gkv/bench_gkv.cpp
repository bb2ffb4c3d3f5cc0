// Each kernel as written beside tuned, and beside a loop that only reads (intgrl) or copies past the caches as many
// bytes, in turn.
// Usage: bench-gkv-omp [NV [ROUNDS]]     f has 4.3 NV million points
#include <cstdio>

#include "bench_bracket.hpp"
#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/paired.hpp"
#include "gkv.hpp"
#include "kernel_choice.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::gkv;

// In blocks of as many doubles, one after the other by each thread.
class Copy {
 public:
  explicit Copy(double bytes)
      : blocks_(static_cast<std::int64_t>(bytes / 2.0 / 8.0) / block), from_(size()), to_(size()) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < blocks_ * block; ++i) from_[static_cast<std::size_t>(i)] = 1.0;
    run();
  }

  void run() {
    const Kernels& kernels = widest_kernels();
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (std::int64_t at = 0; at < blocks_; ++at) {
        const double* from = from_.data() + at * block;
        Combination row{};
        row.in[0] = from;
        row.c[0] = 1.0;
        row.ahead = from + block;
        for (int k = 1; k < rows45; ++k) row.in[k] = from;
        row.damp = zeros_.data();
        kernels.combine45(to_.data() + at * block, row, block);
      }
      kernels.fence();
    }
  }

 private:
  static constexpr std::int64_t block = 1024;
  std::size_t size() const { return static_cast<std::size_t>(blocks_ * block); }

  std::int64_t blocks_;
  Array<double> from_;
  Array<double> to_;
  Array<double> zeros_{block};
};

class Read {
 public:
  explicit Read(double bytes) : blocks_(static_cast<std::int64_t>(bytes / 8.0) / block), from_(size()) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < blocks_ * block; ++i) from_[static_cast<std::size_t>(i)] = 0.0;
  }

  void run() {
    double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::int64_t at = 0; at < blocks_; ++at) {
      const double* from = from_.data() + at * block;
      double part = 0.0;
#pragma omp simd reduction(+ : part)
      for (std::int64_t i = 0; i < block; ++i) part += from[i];
      sum += part;
    }
    if (sum != 0.0) std::printf("?\n");
  }

 private:
  static constexpr std::int64_t block = 1024;
  std::size_t size() const { return static_cast<std::size_t>(blocks_ * block); }

  std::int64_t blocks_;
  Array<double> from_;
};

void compare(Params params, int rounds, const Communicator& ranks) {
  params.variant = "opt";
  Gkv tuned(params, ranks);
  params.variant = "default";
  Gkv written(params, ranks);
  const double bytes = demanded(tuned.work(), "memory.bytes");
  std::vector<Way> ways{{"opt", [&] { tuned.run(); }}, {"default", [&] { written.run(); }}};
  std::printf("%s, %.2f GB by the least traffic\n", params.kernel.c_str(), bytes * 1e-9);
  if (params.kernel == "intgrl") {
    Read read(bytes);
    ways.push_back({"reading alone", [&] { read.run(); }});
    compare_ways(ways, rounds, bytes, "GB/s");
  } else {
    Copy copy(bytes);
    ways.push_back({"copying alone", [&] { copy.run(); }});
    compare_ways(ways, rounds, bytes, "GB/s");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int nv = positive_argument(argc, argv, 1, 16);
  const int rounds = positive_argument(argc, argv, 2, 5);
  const Communicator ranks(argc, argv);
  bind_threads(allowed_cpus());
  for (const char* kernel : {"intgrl", "diff45", "diff123"}) {
    compare({.kernel = kernel, .nx = 63, .ny = 32, .nz = 16, .nv = nv, .nm = 15}, rounds, ranks);
  }
  bench_bracket(rounds);
}
