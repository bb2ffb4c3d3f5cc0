// SpMV: y = A x for a sparse A in double precision.
//
//   for (i = 0; i < rows; ++i) {
//     y[i] = 0;
//     for (k = start[i]; k < start[i + 1]; ++k) y[i] += value[k] * x[column[k]];
//   }
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/crs.hpp"
#include "core/hidden.hpp"

namespace banzuke::spmv {

struct Params {
  std::string file{};
  std::string family = "stencil-27";
  std::int64_t nonzeros = 1'000'000;
  std::string format = "auto";
  std::string product = "own";
  std::int64_t rounds = 100;
  std::int64_t flush = 0;
};

// Written by each thread to clear the caches: more than its processor's part of any.
inline constexpr std::int64_t flush_bytes = std::int64_t{64} << 20U;

void declare(Parameters& parameters, Params& params);

// The backend's formats, auto first.
const std::vector<std::string>& formats();
// Whether the backend can call a library's product in place of its own, as `product` asks.
bool offers_library();
// The format to make `Spmv` with.
std::string form(const Params& params);
// The backend's problem: the footprint is an upper bound, of the matrix while it is made or read and of its converted
// copy. Throws UsageError where there are several ranks, or no such matrix.
Problem problem(const Params& params, int ranks);

// Bytes of the matrix while it is made or read, with any backend. Throws as `problem` does.
double footprint_of_matrix(const Params& params, int ranks);
// The problem of a backend on the processors.
Problem problem_on_host(const Params& params, int ranks);
// The largest ratio of stored entries to non-zeros.
inline constexpr double most_fill = 3.0;

// Two flops a non-zero. `bytes`: CRS with 4-byte columns and row pointers, x and y once each. `moved`: the least that
// any of the formats here moves, see README.md.
Work work(const Crs& matrix);

// A matrix in the form that this backend multiplies with. The same class for every backend; the linker chooses.
class Spmv {
 public:
  // Converts; `library` leaves the format to the library. Throws UsageError when the backend does not have the format
  // or the format does not suit the matrix.
  Spmv(const Crs& matrix, const std::string& format);

  void load(std::span<const double> x);   // the vector of all products from now on, which the caller keeps
  double run(int products);               // so many, one after another; seconds, by the backend's clock
  void store(std::span<double> y) const;  // of the last one
  void clear_caches();
  // What was chosen, e.g. "bcsr 3x3".
  const std::string& format() const;
  // Entries stored over non-zeros; below zero: the backend does not say.
  double fill() const;
  // Instruction set of the loops, or the library with its version.
  const std::string& method() const;
  Json::Object software() const;             // what was loaded
  Json::Object conditions() const;           // how else it was done
  std::vector<Verification> checks() const;  // beside that of the result

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// Largest over the rows of |y - reference| / (n eps sum |a| |x|), with n non-zeros in the row: rounding explains at
// most 1, whatever the order of summation.
double error(const Crs& matrix, std::span<const double> x, std::span<const double> y);
inline constexpr double tolerance = 1.0;

}  // namespace banzuke::spmv
