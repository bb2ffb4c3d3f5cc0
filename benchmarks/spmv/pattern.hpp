// Sparsity pattern of a generated matrix as a function of the row: any thread can generate rows in any order, and only
// the matrix itself and a renumbering are stored.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/crs.hpp"
#include "core/random.hpp"

namespace banzuke::spmv {

struct Pattern {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  double nonzeros = 0.0;  // of all rows, a tight upper bound
  bool symmetric = false;
  // Appends the row's columns, in any order; duplicates count as one entry.
  std::function<void(std::int64_t row, std::vector<std::int32_t>& columns)> row;
};

// Pseudo-random numbers for a row, or a pair of rows: splitmix64 (Steele, Lea, Flood 2014) with its own seed.
class Draws {
 public:
  Draws(std::uint64_t stream, std::uint64_t index) : state_(mix(mix(stream) ^ index)) {}

  std::uint64_t bits() { return mix(state_ += mix_step); }
  double unit() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }  // in [0, 1)
  // Returns a number in [0, end), end at most 2^32; relative bias at most end / 2^32.
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(((bits() >> 32U) * static_cast<std::uint64_t>(end)) >> 32U);
  }
  // Returns a number with a Poisson distribution, by inversion; above a mean of 30, by the normal approximation.
  std::int64_t poisson(double mean);

 private:
  std::uint64_t state_;
};

// Returns the same draws for both directions of an edge.
inline Draws pair_draws(std::uint64_t stream, std::int64_t a, std::int64_t b) {
  const auto low = static_cast<std::uint64_t>(a < b ? a : b);
  const auto high = static_cast<std::uint64_t>(a < b ? b : a);
  return {stream, (low << 32U) | high};
}

enum class Numbering {
  natural,
  rcm,     // reverse Cuthill-McKee from row 0
  random,  // uniformly random permutation
};

// A square pattern with rows and columns renumbered alike; takes 8 bytes per row, and 10 during construction.
Pattern renumbered(const Pattern& pattern, Numbering numbering);

// Replaces every entry by a dense `size` x `size` block.
Pattern blocks(const Pattern& pattern, std::int64_t size);

Crs assemble(const Pattern& pattern);

}  // namespace banzuke::spmv
