// GKV kernels: loops of a gyrokinetic plasma code over a distribution function f(kx, ky, z, v, m) of complex numbers,
// kx fastest: kx = -nx..nx, ky = 0..ny, z = -nz..nz-1, parallel velocity v = 1..2 nv, magnetic moment m = 0..nm.
//
//   fft      {psi - v chi, f} in real space of 2 nxw x 2 nyw points, ky distributed over the ranks, two exchanges
//   intgrl   n(kx, ky, z) = sum over v and m of f w(z, v, m); then its average over z
//   diff45   out = collision operator: differences of f along v and m
//   diff123  out = streaming: differences of f along kx, ky and z, and along v for the mirror force
//
// README.md has the formulas; this reading of the names is our own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"
#include "core/rounds.hpp"

namespace banzuke::gkv {

struct Params {
  std::string kernel = "intgrl";
  std::string variant = "default";
  std::int64_t nx = 42;
  std::int64_t ny = 21;
  std::int64_t nz = 8;
  std::int64_t nv = 16;
  std::int64_t nm = 7;
  std::int64_t nxw = 0;
  std::int64_t nyw = 0;
  std::int64_t moment = 0;
  std::string along = "123";
  std::int64_t rounds = 5;
};

void declare(Parameters& parameters, Params& params);
// Fills in nxw and nyw if they were left to the program.
Problem problem(Params& params, int ranks);

// Points of f along each dimension, over all ranks.
struct Shape {
  std::int64_t kx = 1;
  std::int64_t ky = 1;
  std::int64_t z = 1;
  std::int64_t v = 1;
  std::int64_t m = 1;

  std::int64_t modes() const { return kx * ky; }
  std::int64_t points() const { return kx * ky * z * v * m; }
};
inline Shape shape_of(const Params& params) {
  return {2 * params.nx + 1, params.ny + 1, 2 * params.nz, 2 * params.nv, params.nm + 1};
}

enum class Part { fft, alltoall, other };
inline constexpr std::array<std::string_view, 3> part_names{"fft", "alltoall", "other"};

// Seconds of a run of kernel fft on this rank; 0 for other kernels.
using Times = RoundTimes<part_names.size()>;

// The kernel named by the parameters, which must be complete.
class Gkv {
 public:
  // Collective. Allocates; first-touches as run() reads.
  Gkv(const Params& params, const Communicator& ranks);

  Times run();                        // once; collective
  Work work() const;                  // of one run on all ranks; counted: points of f
  std::vector<Verification> check();  // of the last run; collective
  double working_set() const;         // bytes of this rank that a run reads and writes
  std::string method() const;         // "AVX-512"

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::gkv
