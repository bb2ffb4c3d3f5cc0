// FFT: one discrete Fourier transform of n complex numbers over all ranks.
//
//   for (k = 0; k < n; ++k) X[k] = sum over j of x[j] exp(-2 pi i j k / n);     counted as 5 n log2(n) flops
//
// With n = n1 n2, j = j1 n2 + j2 and k = k1 + n1 k2: transforms of length n1 over j1, factors exp(-2 pi i j2 k1 / n),
// transforms of length n2 over j2. Each number is read and written twice: 64 n bytes.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/application.hpp"
#include "core/fft/kernels.hpp"
#include "core/hidden.hpp"
#include "core/rounds.hpp"

namespace banzuke::fft {

inline constexpr std::int64_t longest = std::int64_t{1} << 45;

struct Params {
  std::int64_t n = std::int64_t{1} << 20;
  std::int64_t rounds = 5;
  std::string order = "natural";
  std::string stores = "nontemporal";
  std::string planning = "measure";
  std::int64_t dimensions = 1;
  std::string transform = "own";
  std::string transforms = "one";
};

// The number of transforms that so many ranks make at once, and of ranks that share each.
inline int at_once(const Params& params, int ranks) { return params.transforms == "own" ? ranks : 1; }
inline int sharing(const Params& params, int ranks) { return ranks / at_once(params, ranks); }

// The most ranks that this backend allows, and whether it runs on devices.
extern const int most_ranks;
extern const bool of_devices;

// Number of pieces in which numbers are exchanged while others are transformed. With more pieces the final wait is
// shorter, but so are the messages.
inline constexpr int most_pieces = 4;

void declare(Parameters& parameters, Params& params);
Problem problem(const Params& params, int ranks);
// The same for backends that run on the processors; of all ranks, some may have transforms of their own.
Problem problem_on_host(const Params& params, int all);
// The edge of a cube of n numbers. Throws UsageError with the nearest n if n is not a cube.
std::int64_t edge_of(std::int64_t n);

// Lengths of the two kinds of transforms.
struct Split {
  std::int64_t n1 = 1;
  std::int64_t n2 = 1;

  std::int64_t n() const { return n1 * n2; }
  Split swapped() const { return {n2, n1}; }
};

// The most even split whose lengths are divisible by the number of ranks. Throws UsageError, with legal n below and
// above, or other numbers of ranks.
Split split(std::int64_t n, int ranks);

// Returns the work of a transform. With `exchanges` between all ranks, the demand on the link is what the host with the
// most ranks, `fullest`, sends to others.
Work work(std::int64_t n, int ranks = 1, int fullest = 1, int exchanges = 0);

enum class Part { first, second, reorder, exchange };
inline constexpr std::array<std::string_view, 4> part_names{"first", "second", "reorder", "exchange"};

// Seconds of a transform on this rank.
using Times = RoundTimes<part_names.size()>;

// The order of a rank's numbers: in natural order they are a block of consecutive ones, otherwise its block of columns
// of a matrix with `columns` columns, row by row. index(i) is the index of the rank's number i among all n.
struct Order {
  bool natural = true;
  std::int64_t columns = 1;  // of all ranks
  std::int64_t own = 1;      // columns of this rank
  std::int64_t first = 0;    // its first number, or its first column

  std::int64_t index(std::int64_t i) const { return natural ? first + i : i / own * columns + first + i % own; }
};

class Fft {
 public:
  // Collective. Allocates; first-touches as the loops write.
  Fft(const Params& params, const Split& split, const Communicator& ranks);

  // Number of this rank's numbers.
  std::int64_t size() const;
  // Fills the input: uniform in [-0.5, 0.5).
  void fill();
  // The arrays in host memory; a backend with its own memory copies them there, and back before the next run.
  Complex* in();
  Complex* out();
  Order in_order() const;
  Order out_order() const;

  // out := transform of in, which is overwritten; collective. Times by the backend's clock.
  Times run();
  // The same from out to in.
  void run_back();

  const std::string& method() const;  // "AVX-512", "FFTW 3.3.10"
  double planning_seconds() const;
  Json::Object software() const;             // other loaded software
  Json::Object conditions() const;           // further conditions
  std::vector<Verification> checks() const;  // besides those below

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// Fills a rank's numbers in host memory like `Fft::fill`.
void fill(Complex* x, std::int64_t size, const Order& order);

// The checks; all collective. eps is 2^-53, as in HPCC. `at_once`: number of transforms that the ranks make at once.

// Transforms `out` back into `in` and compares with the input; returns the largest difference / (eps ln n), as in HPCC.
double inverse_error(Fft& fft, const Communicator& ranks, int at_once = 1);
inline constexpr double inverse_tolerance = 16.0;
// Transforms a pulse and returns the largest difference from the known result / (eps ln n). With three dimensions, the
// transform is that of a cube.
double pulse_error(Fft& fft, const Communicator& ranks, std::int64_t dimensions = 1, int at_once = 1);
inline constexpr double pulse_tolerance = 16.0;

}  // namespace banzuke::fft
