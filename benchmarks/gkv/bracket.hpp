// Kernel fft: the bracket of two fields with f, in real space:
//
//   d/dx (psi - v chi) d/dy f - d/dy (psi - v chi) d/dx f     for each z, v and m; f's modes are distributed by ky
//
// Each v passes through six pipelined stages, with several v in different stages at a time: pack the modes; exchange
// them, so that each rank has all ky of its planes (z, m); to real space; the product, and back to modes; exchange;
// unpack. Forward and inverse transforms of a plane are done together, while it is in the caches. The first thread
// exchanges while the others work, and then works, too. psi and chi precede the first v, up to real space.
#pragma once

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "core/fft/kernels.hpp"
#include "gkv.hpp"

namespace banzuke::gkv {

using fft::Complex;

// How ky and the planes (z, m) are distributed over the ranks: in blocks of equal size, padded with zeros.
struct Dealt {
  Dealt(const Params& params, int among);

  std::int64_t all_planes() const { return all.z * all.m; }
  std::int64_t first(int rank) const { return rank * own; }
  std::int64_t count(int rank) const;   // values of ky
  std::int64_t planes(int rank) const;  // of (z, m)
  bool all_have_some() const { return first(ranks - 1) < all.ky && (ranks - 1) * each < all_planes(); }
  bool messages_fit() const;  // MPI counts doubles with int
  std::int64_t most_ranks() const { return std::min(all.ky, all_planes()); }

  Shape all;
  int ranks;
  std::int64_t own;      // values of ky per block
  std::int64_t each;     // planes per block
  std::int64_t numbers;  // complex numbers in a rank's part of a plane
};

// Bytes for the rank that needs most.
double bracket_footprint(const Params& params, int ranks);

// Flops of a plane of f, and of one run; transforms count as 5 n log2 n, real ones half of that.
double plane_flops(const Params& params);
double bracket_flops(const Params& params);

// The fields in the bracket.
enum class Field { psi, chi, f };
struct Mode {
  std::int64_t kx = 0;
  std::int64_t ky = 0;
  std::int64_t z = 0;
  std::int64_t v = 0;  // none for psi and chi
  std::int64_t m = 0;
};
enum class Data { random, two_modes };
// The value of a mode, with kx and ky of either sign; 0 for truncated modes.
std::complex<double> mode_of(Data data, Field field, const Params& params, const Mode& at);
// Velocity number v.
double velocity(const Params& params, std::int64_t v);

// Difference of a bracket mode from the sum over all pairs of modes of random data, and from the product of the two
// modes, divided by eps ln n times the root mean squares of the gradients; n is the number of points.
double sum_error(const Params& params, const Mode& at, std::complex<double> found);
double product_error(const Params& params, const Mode& at, std::complex<double> found);
inline constexpr double bracket_tolerance = 16.0;

class Bracket {
 public:
  // Collective; nxw and nyw must be set. The data are random.
  Bracket(const Params& params, const Communicator& ranks);

  void fill(Data data);
  Times run();
  Work work() const;
  // Checks the last run, which must have had random data; changes the data. Collective.
  std::vector<Verification> check();
  double working_set() const;
  std::string method() const;

  // Size and numbers of this rank's result: [m][v][z][ky of its block][kx].
  std::int64_t size() const;
  Complex* result();

 private:
  double against_sums() const;
  double against_product() const;

  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::gkv
