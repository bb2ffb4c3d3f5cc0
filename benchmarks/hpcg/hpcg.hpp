// High Performance Conjugate Gradients: A x = b for the 27-point stencil on a box, by conjugate gradients with a
// multigrid V-cycle of symmetric Gauss-Seidel sweeps as the preconditioner.
//
//   smooth(A, r, x):  for (i = 0..n-1, then n-1..0) x(i) = (r(i) - sum over j != i of A(i,j) * x(j)) / A(i,i);
//   precondition(r):  x = 0; smooth(A, r, x); xc = precondition on the coarse grid of (r - A x) at every second point;
//                     x(every second point) += xc; smooth(A, r, x);          // on the coarsest grid: one smooth
//   r = b - A x;
//   for (k = 1; k <= n; ++k) {
//     z = precondition(r);  beta = (r, z) / (r, z) before;  p = z + beta * p;
//     alpha = (r, z) / (p, A p);  x += alpha * p;  r -= alpha * A p;
//   }
//
// Every rank has a local box of nx x ny x nz points, or layers of ranks share as many planes unequally (`deal`);
// Gauss-Seidel uses its neighbours' values from before the sweep.
// Flops are counted as in the official code, about 372 per point and iteration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/application.hpp"

namespace banzuke::hpcg {

// The backend's orderings, the default first.
const std::vector<std::string>& orderings();

struct Params {
  std::int64_t nx = 16;
  std::int64_t ny = 16;
  std::int64_t nz = 16;
  std::int64_t px = 0;
  std::int64_t py = 0;
  std::int64_t pz = 0;
  double seconds = 10.0;
  std::string ordering = orderings().front();
  std::string deal = "equal";
  std::string messages = "host";

  double points() const { return static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz); }
};

void declare(Parameters& parameters, Params& params);
// What is left at its default and does not concern every call is unused.
void settle(Parameters& parameters, const Params& params);

// Returns the problem, and chooses the process grid as HPCG 3.1 does if it was left to the program. The footprint is
// that while both the reference matrix and the optimised one exist. Throws UsageError naming the nearest problems that
// the rules allow.
Problem problem(Params& params, int ranks);
// Returns what each rank needs with this backend. Throws UsageError for what the backend cannot do.
Problem memory(const Params& params, int ranks);

inline constexpr int levels = 4;
inline constexpr std::int64_t reference_iterations = 50;

// The flops of one set of `iterations`, over all ranks, as the official code counts them.
struct Flops {
  double dot = 0.0;
  double waxpby = 0.0;
  double spmv = 0.0;
  double mg = 0.0;

  double total() const { return dot + waxpby + spmv + mg; }
};

// Points of the whole grid in each direction.
struct Extent {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;

  double points() const { return static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z); }
  double nonzeros() const {
    return static_cast<double>(3 * x - 2) * static_cast<double>(3 * y - 2) * static_cast<double>(3 * z - 2);
  }
  Extent coarser(int level) const { return {x >> level, y >> level, z >> level}; }
};

Flops flops(const Extent& whole, std::int64_t iterations);

// Least bytes of a value and its column as the backend stores them.
double entry_bytes();

// Minimum bytes that a set of `iterations` moves: each pass over a part of the matrix that the method needs, and every
// vector at each use. For boxes far larger than the caches.
struct Traffic {
  double loads = 0.0;
  double stores = 0.0;
};
Traffic traffic(const Extent& whole, std::int64_t iterations);

}  // namespace banzuke::hpcg
