// Compares each kernel as written with the tuned one, and with loops that only read (intgrl) or copy the same number of
// bytes with non-temporal stores, in turn; diff123 also along fewer dimensions.
// Usage: bench-gkv-omp [NV [ROUNDS]]; f has 4.3 NV million points.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "bench_bracket.hpp"
#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/paired.hpp"
#include "gkv.hpp"
#include "kernel_choice.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::gkv;

// The loop of diff45 over rows that are contiguous in memory, or (`apart`) in planes megabytes apart as in diff45. What
// it reads besides the copied data is in the L1 cache.
class Copy {
 public:
  Copy(double bytes, bool apart)
      : pieces_(static_cast<std::int64_t>(bytes / 2.0 / 8.0) / (moments * row)),
        piece_step_(apart ? row : (moments + 2) * row),
        row_step_(apart ? pieces_ * row : row),
        from_(static_cast<std::size_t>(pieces_ * (moments + 2) * row)),
        to_(from_.size()) {
#pragma omp parallel for schedule(static)
    for (std::int64_t at = 0; at < pieces_; ++at) {
      for (std::int64_t m = 0; m < moments + 2; ++m) {
        std::fill_n(from_.data() + at * piece_step_ + m * row_step_, row, 1.0);
      }
    }
    run();
  }

  void run() {
    const Kernels& kernels = widest_kernels();
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (std::int64_t at = 0; at < pieces_; ++at) {
        const double* from = from_.data() + at * piece_step_;
        kernels.collisions({.f = from,
                            .out = to_.data() + at * piece_step_,
                            .step_v = 0,
                            .step_m = row_step_,
                            .out_step_v = 0,
                            .out_step_m = row_step_,
                            .moments = moments,
                            .planes = 1,
                            .of_v = {},
                            .of_m = factors_.data(),
                            .damp = zeros_.data(),
                            .fresh = from,
                            .fresh_planes = 1,
                            .next = from + (at + 1 < pieces_ ? piece_step_ : 0),
                            .next_planes = 1},
                           row);
      }
      kernels.fence();
    }
  }

 private:
  static constexpr std::int64_t row = 128;  // doubles
  static constexpr std::int64_t moments = 512;

  std::int64_t pieces_;
  std::int64_t piece_step_;
  std::int64_t row_step_;
  Array<double> from_;
  Array<double> to_;
  Array<double> zeros_{row};
  std::vector<double> factors_ = std::vector<double>(5 * moments, 0.5);
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
  std::printf("%s, along %s, %.2f GB by the least traffic\n", params.kernel.c_str(), params.along.c_str(),
              bytes * 1e-9);
  if (params.kernel == "intgrl") {
    Read read(bytes);
    ways.push_back({"reading alone", [&] { read.run(); }});
    compare_ways(ways, rounds, bytes, "GB/s");
  } else {
    Copy near(bytes, false);
    Copy apart(bytes, true);
    ways.push_back({"copying alone", [&] { near.run(); }});
    ways.push_back({"copying, 1 KiB at a time", [&] { apart.run(); }});
    compare_ways(ways, rounds, bytes, "GB/s");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int nv = positive_argument(argc, argv, 1, 16);
  const int rounds = positive_argument(argc, argv, 2, 5);
  const Communicator ranks(argc, argv);
  bind_threads(allowed_cpus());
  const Params params{.nx = 63, .ny = 32, .nz = 16, .nv = nv, .nm = 15};
  for (const char* kernel : {"intgrl", "diff45"}) {
    Params own = params;
    own.kernel = kernel;
    compare(own, rounds, ranks);
  }
  for (const char* along : {"123", "12", "1"}) {
    Params own = params;
    own.kernel = "diff123";
    own.along = along;
    compare(own, rounds, ranks);
  }
  bench_bracket(rounds);
}
