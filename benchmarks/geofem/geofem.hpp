// GeoFEM-Cube: a cube of nx x ny x nz nodes is pulled upwards; trilinear elements of linear elasticity give A u = b
// with 3 x 3 blocks, solved by conjugate gradients with a symmetric Gauss-Seidel preconditioner local to each rank's
// rows.
//
//   u = 0; r = b;
//   while (|r| > 1e-8 |b|) {
//     for (i in order)         z(i) = D(i)^-1 (r(i) - sum over earlier neighbours j of A(i,j) z(j));
//     for (i in reverse order) z(i) -= D(i)^-1 (sum over later neighbours j of A(i,j) z(j));
//     beta = r.z / (r.z of the last iteration); p = z + beta p;
//     q = A p; alpha = r.z / p.q; u += alpha p; r -= alpha q;
//   }
//
// 18 flops per block of A and of the preconditioner, 66 per node for the rest; the exact solution is known.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/domain.hpp"
#include "core/hidden.hpp"
#include "core/hosts.hpp"

namespace banzuke::geofem {

// The formats of this backend, the default first.
const std::vector<std::string>& formats();

struct Params {
  std::int64_t nx = 40;
  std::int64_t ny = 40;
  std::int64_t nz = 40;
  std::int64_t px = 0;
  std::int64_t py = 0;
  std::int64_t pz = 0;
  std::string ordering = "cm-rcm";
  std::int64_t colours = 8;
  std::string format = formats().front();
  std::int64_t sweeps = 1;
  std::string deal = "equal";
  std::string messages = "host";
};

void declare(Parameters& parameters, Params& params);
// What is left at its default and does not concern every call is unused.
void settle(Parameters& parameters, const Params& params);

inline Triple nodes_of(const Params& params) { return {params.nx, params.ny, params.nz}; }
inline Triple grid_of(const Params& params) { return {params.px, params.py, params.pz}; }

// The layers with the planes that each has, with the process grid chosen. Before rates are measured, `rates` gives
// equal parts.
Layers layers_of(const Params& params);
// The part of a rank.
Domain domain_of(const Params& params, int rank);

// Chooses the process grid if it was left to the program. Throws UsageError if the ranks do not form a grid, or its
// layers cannot be shared as `deal` says.
Params complete(const Params& params, int ranks);
Problem problem(Params& params, int ranks);
// Memory that a rank with `nodes` nodes takes, depending on the backend.
Problem memory(const Params& params, double nodes);

// The work of one iteration on all ranks, with the process grid chosen.
Work work(const Params& params);
// Bytes that an iteration on all ranks goes over, in the smallest format: the matrix, the diagonal's factors, vectors.
double working_set(const Params& params);

enum class Part { spmv, precondition, vectors, halo_wait, allreduce };
inline constexpr std::array<std::string_view, 5> part_names{"spmv", "precondition", "vectors", "halo_wait",
                                                            "allreduce"};

// Bytes that the rank receives from other hosts in an iteration: the halo of its part of the vector, once for each
// product.
double bytes_from_other_hosts(const Params& params, const Domain& domain, const Hosts& hosts, int rank);

inline constexpr double tolerance = 1e-8;  // of |r| / |b|

struct Outcome {
  double seconds = 0.0;                                           // this rank's, of the loop
  std::vector<std::array<double, part_names.size()>> iterations;  // breakdown of these seconds
  double residual = 1.0;                                          // |r| / |b|
};

// More iterations than any solution takes: they grow with the longest edge.
inline std::int64_t most_iterations(const Params& params) { return 1000 + 20 * (params.nx + params.ny + params.nz); }

class Cube {
 public:
  // Collective; `params` must be complete. Allocates; each thread first-touches what it uses. Ranks of equal `colour`
  // solve a cube together, in the order of their numbers.
  Cube(const Params& params, const Communicator& ranks, int colour = 0);

  // Solves from u = 0 until the residual is small enough or NaN, or `most` iterations are done; collective over the
  // ranks of this cube. `progress`
  // gets iterations and |r| / |b|.
  Outcome solve(std::int64_t most, const std::function<void(std::int64_t, double)>& progress = {});

  // u at the own nodes, then at the external ones, in the domain's order; collective.
  std::vector<double> solution();

  const Domain& domain() const;
  std::int64_t stages() const;  // colours or levels, on this rank
  double fill() const;          // stored blocks over non-zero blocks, on this rank
  std::string kernels() const;  // e.g. "AVX-512"
  Json::Object conditions() const;
  std::vector<Verification> checks() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::geofem
