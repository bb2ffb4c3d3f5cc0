// STREAM: sustained memory bandwidth of loops over three arrays of n doubles.
//
//   for (i = 0; i < n; ++i) c[i] = a[i];               Copy   16 n bytes      0 flops
//   for (i = 0; i < n; ++i) b[i] = scalar * c[i];      Scale  16 n bytes      n flops
//   for (i = 0; i < n; ++i) c[i] = a[i] + b[i];        Add    24 n bytes      n flops
//   for (i = 0; i < n; ++i) a[i] = b[i] + scalar*c[i]; Triad  24 n bytes    2 n flops
//   for (i = 0; i < n; ++i) sum += a[i] * b[i];        Dot    16 n bytes    2 n flops
//
// Dot is BabelStream's fifth loop, which has only loads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"

namespace banzuke::stream {

struct Params {
  std::int64_t n = std::int64_t{1} << 24;
  std::int64_t rounds = 20;
  std::string stores = "nontemporal";
};

// Declares the parameters of every backend.
void declare_sizes(Parameters& parameters, Params& params);
// The backend's parameters, and the memory that it needs.
void declare(Parameters& parameters, Params& params);
Problem problem(const Params& params, int ranks);

// Bytes of the arrays of a rank.
inline double footprint(const Params& params) { return 24.0 * static_cast<double>(params.n); }

// Offset in bytes so that the arrays start in different cache sets and memory banks: at distances of a large power of
// two they collide.
inline constexpr std::size_t skew = std::size_t{17} * 64;

enum class Kernel { copy, scale, add, triad, dot };
inline constexpr std::array kernels{Kernel::copy, Kernel::scale, Kernel::add, Kernel::triad, Kernel::dot};
inline constexpr std::array kernel_names{"copy", "scale", "add", "triad", "dot"};

// Counted by the benchmark's rules: the loop's reads and writes, never the write-allocate.
inline Work work(Kernel kernel, std::int64_t n) {
  constexpr std::array loads{1.0, 1.0, 2.0, 2.0, 2.0};
  constexpr std::array stores{1.0, 1.0, 1.0, 1.0, 0.0};
  constexpr std::array flops{0.0, 1.0, 1.0, 2.0, 2.0};
  const auto at = static_cast<std::size_t>(kernel);
  const auto elements = static_cast<double>(n);
  const double bytes = 8.0 * (loads[at] + stores[at]) * elements;
  return {
      .counted = bytes,
      .demand = {
          {"memory.bytes", bytes}, {"memory.loads", 8.0 * loads[at] * elements}, {"flops.fp64", flops[at] * elements}}};
}

// Passes all elements of an array (0 is a) to a Piece, in consecutive pieces.
using Piece = std::function<void(std::span<const double>)>;
using Read = std::function<void(std::size_t array, const Piece& piece)>;

// a = 1, b = 2, c = 0, then a doubled once by the calibration pass.
class Stream {
 public:
  explicit Stream(const Params& params);  // allocates; first-touches in the loops' own schedule

  void calibrate();           // a *= 2
  double run(Kernel kernel);  // one blocking pass; seconds by the backend's clock
  double dot() const;         // of the last pass of Dot
  void read(std::size_t array, const Piece& piece) const;
  // Conditions, e.g. the instruction set of the loops.
  Json::Object conditions() const;
  std::vector<Verification> checks() const;  // besides those of the results

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// Returns the maximum over the arrays of mean |x - expected| / |expected|; the expected values come from replaying the
// scalars.
double error(const Read& read, std::int64_t rounds);
inline constexpr double tolerance = 1e-13;

// Returns the maximum |dot - expected| / expected of the dot products of all rounds, in order; n: elements of an array.
double dot_error(std::span<const double> dots, std::int64_t n);
// Block of a thread's part that Dot sums separately, so that rounding grows with the block size and the number of
// blocks.
inline constexpr std::int64_t dot_block = std::int64_t{1} << 15;
constexpr double dot_tolerance(std::int64_t n) {
  return std::numeric_limits<double>::epsilon() * (1024.0 + static_cast<double>(n) / static_cast<double>(dot_block));
}

}  // namespace banzuke::stream
