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

// Bytes that each thread writes to flush the caches: more than its processor's share of any cache.
inline constexpr std::int64_t flush_bytes = std::int64_t{64} << 20U;

void declare(Parameters& parameters, Params& params);

// The backend's formats, auto first.
const std::vector<std::string>& formats();
// Returns whether the backend can use a library's product instead of its own, as selected by `product`.
bool offers_library();
// Returns the format argument for `Spmv`.
std::string form(const Params& params);
// Returns the backend's problem. The footprint is an upper bound for generating or reading the matrix plus its
// converted copy. Throws UsageError if there are several ranks, or no such matrix.
Problem problem(const Params& params, int ranks);

// Bytes for generating or reading the matrix, with any backend. Throws as `problem` does.
double footprint_of_matrix(const Params& params, int ranks);
// The problem of a backend on the processors.
Problem problem_on_host(const Params& params, int ranks);
// The largest ratio of stored entries to non-zeros.
inline constexpr double most_fill = 3.0;

// Returns the work: two flops per non-zero, and the least bytes that any of the formats here moves, see README.md.
Work work(const Crs& matrix);

// Bytes of the caches of a product's threads; 0: unknown.
struct CacheBytes {
  std::int64_t l2 = 0;    // each thread's own; 0 also where it is the last one
  std::int64_t last = 0;  // the last ones together, behind those
};

// Adds the lines of x that the threads must load from behind their own caches, and those from memory.
void add_gathers(Work& work, const Crs& matrix, std::int64_t threads, const CacheBytes& caches);

// A matrix in this backend's format. The same class for every backend; chosen at link time.
class Spmv {
 public:
  // Converts the matrix; `library` leaves the format to the library. Throws UsageError if the backend lacks the format
  // or the format does not suit the matrix.
  Spmv(const Crs& matrix, const std::string& format);

  void load(std::span<const double> x);   // the vector for all products from now on; the caller must keep it
  double run(int products);               // consecutive products; seconds by the backend's clock
  void store(std::span<double> y) const;  // of the last product
  void clear_caches();
  // The chosen format, e.g. "bcsr 3x3".
  const std::string& format() const;
  // Returns the ratio of stored entries to non-zeros; negative if unknown.
  double fill() const;
  // Instruction set of the loops, or the library with its version.
  const std::string& method() const;
  Json::Object software() const;             // what was loaded
  Json::Object conditions() const;           // further conditions
  std::vector<Verification> checks() const;  // besides that of the result

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// Returns the maximum over the rows of |y - reference| / (n eps sum |a| |x|), with n non-zeros in the row. Rounding
// gives at most 1, whatever the order of summation.
double error(const Crs& matrix, std::span<const double> x, std::span<const double> y);
inline constexpr double tolerance = 1.0;

}  // namespace banzuke::spmv
