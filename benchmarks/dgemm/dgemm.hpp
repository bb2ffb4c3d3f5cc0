// DGEMM: C := alpha A B + beta C in double precision, column-major; A is m x k, B is k x n, C is m x n.
//
//   for (j = 0; j < n; ++j)
//     for (i = 0; i < m; ++i) {
//       sum = 0;
//       for (l = 0; l < k; ++l) sum += A(i,l) * B(l,j);
//       C(i,j) = alpha * sum + beta * C(i,j);
//     }
//
// 2 m n k flops; at least 8 (m k + k n + 2 m n) bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"

namespace banzuke::dgemm {

struct Params {
  std::int64_t m = 2000;
  std::int64_t n = 2000;
  std::int64_t k = 2000;
  double alpha = -1.0;  // as in the update of an LU factorisation
  double beta = 1.0;
  std::int64_t repetitions = 5;
  std::string split = "none";
  std::string overlap = "yes";
  std::int64_t piece = 0;
};

inline void declare(Parameters& parameters, Params& params) {
  constexpr Parameters::Range extent{.min = 1, .max = 1'000'000};  // BLAS takes 32-bit integers
  parameters.add("m", params.m, "rows of A and C", extent);
  parameters.add("n", params.n, "columns of B and C", extent);
  parameters.add("k", params.k, "columns of A and rows of B; the block size of an LU update", extent);
  parameters.add("alpha", params.alpha, "factor of A B");
  parameters.add("beta", params.beta, "factor of C");
  parameters.add("repetitions", params.repetitions,
                 "timed calls at least, after one that is not timed; short ones go on for 0.3 s",
                 {.min = 1, .max = 10'000});
  parameters.add(
      "split", params.split,
      "how ranks share one product: by their threads (equal), by measured rates (rates), in strips dealt while "
      "it runs (adaptive), or in shares that are given, one for each (1:3); none: each multiplies its own "
      "matrices");
  parameters.add("overlap", params.overlap,
                 "whether a device that shares a product computes a piece of its columns while others come and go",
                 {"yes", "no"});
  parameters.add("piece", params.piece, "columns of a piece; 0: as many as make C's part of it 24 MB",
                 {.min = 0, .max = 1'000'000});
}

// Without sharing, the parameters of sharing are unused.
inline void settle(Parameters& parameters, const Params& params) {
  if (!parameters.given("split")) parameters.unused("split", "");
  for (const char* name : {"overlap", "piece"}) {
    if (!parameters.given(name)) {
      parameters.unused(name, "");
    } else if (params.split == "none") {
      parameters.unused(name, "only groups that share a product have a use for it", {{{"split", "adaptive"}}});
    }
  }
}

// Whether to continue after `calls` timed calls taking `seconds` in total: a median over a few microseconds means
// little.
constexpr bool wants_more(const Params& params, std::int64_t calls, double seconds) {
  constexpr double long_enough = 0.3;
  constexpr std::int64_t enough = 1000;
  return calls < params.repetitions || (seconds < long_enough && calls < enough);
}

// Bytes of the three matrices.
inline double footprint(const Params& p) {
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  return 8.0 * (m * k + k * n + m * n);
}

// The memory that the backend needs.
Problem problem(const Params& params, int ranks);

inline Work work(const Params& p) {
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  const double bytes = 8.0 * (m * k + k * n + 2.0 * m * n);
  const double flops = 2.0 * m * n * k;
  return {.counted = flops, .demand = {{"flops.fp64", flops}, {"memory.bytes", bytes}}};
}

// Streams of the pseudo-random entries: element i of matrix A in memory order is uniform(matrix_a, i).
inline constexpr std::uint64_t matrix_a = 0;
inline constexpr std::uint64_t matrix_b = 1;
inline constexpr std::uint64_t matrix_c = 2;
inline constexpr std::uint64_t vector_x = 3;

class Dgemm {
 public:
  // Loads the backend's library, allocates and fills the matrices. Throws if there is no library.
  Dgemm(const Params& params, const std::vector<std::vector<int>>& places);

  void reset();                              // restores the initial C
  double run();                              // one blocking call; returns seconds by the backend's clock
  std::span<const double> result();          // C
  double residual(std::int64_t calls);       // see below; computed on the backend's processor
  Json::Object conditions() const;           // how it was done
  Json::Object software() const;             // the library
  std::vector<Verification> checks() const;  // besides that of the result

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// HPCC's check after `calls` calls, O(m n + m k + k n): with a random x,
//   || alpha s A (B x) + beta^calls C0 x - C x ||_inf / (||C||_inf ||x||_inf (max(m, n, k) + calls) eps),
// s = 1 + beta + ... + beta^(calls-1), eps = 2^-53. HPCC makes one call; every further call adds to C and so rounds
// each element once more. 0 if there is no difference at all.
inline constexpr double tolerance = 16.0;
double residual(const Params& params, std::int64_t calls, std::span<const double> c);

// The parts of the check that depend on where the matrices are.
struct Products {
  std::vector<double> abx, c0x, cx;  // A (B x), C0 x, C x; by row
  std::vector<double> row_sums;      // of |C|
};
double residual(const Params& params, std::int64_t calls, const Products& products);
// The check's x, with n elements.
std::vector<double> random_vector(const Params& params);

}  // namespace banzuke::dgemm
