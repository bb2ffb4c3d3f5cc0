// GeoFEM-Cube: a cube of nx x ny x nz nodes is pulled upwards; trilinear elements of linear elasticity give A u = b
// with 3 x 3 blocks, solved by conjugate gradients with a symmetric Gauss-Seidel preconditioner that each rank makes of
// its own rows alone.
//
//   u = 0; r = b;
//   while (|r| > 1e-8 |b|) {
//     for (i in order)         z(i) = D(i)^-1 (r(i) - sum over earlier neighbours j of A(i,j) z(j));
//     for (i in reverse order) z(i) -= D(i)^-1 (sum over later neighbours j of A(i,j) z(j));
//     beta = r.z / (r.z of the last iteration); p = z + beta p;
//     q = A p; alpha = r.z / p.q; u += alpha p; r -= alpha q;
//   }
//
// 18 flops a block of A and of the preconditioner, 66 a node for the rest; the solution is known exactly.
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

// The formats of this backend, the usual one first.
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
};

void declare(Parameters& parameters, Params& params);

inline Triple nodes_of(const Params& params) { return {params.nx, params.ny, params.nz}; }
inline Triple grid_of(const Params& params) { return {params.px, params.py, params.pz}; }

// The process grid filled in where it was left to the program. Throws UsageError when the ranks do not make a grid.
Params complete(const Params& params, int ranks);
Problem problem(Params& params, int ranks);
// What a rank with so many nodes takes, by backend.
Problem memory(const Params& params, double nodes);

// The work of one iteration on all ranks, with the process grid chosen.
Work work(const Params& params);

enum class Part { spmv, precondition, vectors, halo_wait, allreduce };
inline constexpr std::array<std::string_view, 5> part_names{"spmv", "precondition", "vectors", "halo_wait",
                                                            "allreduce"};

// Bytes that an iteration brings to the rank from other hosts: the vector around its part, once for each product.
double bytes_from_other_hosts(const Params& params, const Domain& domain, const Hosts& hosts, int rank);

inline constexpr double tolerance = 1e-8;  // of |r| / |b|

struct Outcome {
  double seconds = 0.0;                                           // this rank's, of the loop
  std::vector<std::array<double, part_names.size()>> iterations;  // and where they went
  double residual = 1.0;                                          // |r| / |b|
};

// More than any solution takes: iterations grow with the longest edge.
inline std::int64_t most_iterations(const Params& params) { return 1000 + 20 * (params.nx + params.ny + params.nz); }

class Cube {
 public:
  // Collective; `params` are complete. Allocates; what a thread uses, it touches first.
  Cube(const Params& params, const Communicator& ranks);

  // From u = 0 until the residual is small enough or no number any more, or `most` iterations are done; collective.
  // `progress` gets iterations and |r| / |b|.
  Outcome solve(std::int64_t most, const std::function<void(std::int64_t, double)>& progress = {});

  // u of the own nodes, then of the external ones, in the domain's order; collective.
  std::vector<double> solution();

  const Domain& domain() const;
  std::int64_t stages() const;  // colours or levels, of the rank that has most
  double fill() const;          // blocks stored over blocks that are there, on this rank
  std::string kernels() const;  // e.g. "AVX-512"
  Json::Object conditions() const;
  std::vector<Verification> checks() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::geofem
