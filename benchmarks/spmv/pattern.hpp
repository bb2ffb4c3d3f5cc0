// Where a generated matrix has its entries, as a function of the row: rows are made by any thread, in any order, and
// nothing but the matrix itself and a renumbering is ever stored.
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
  double nonzeros = 0.0;  // of all rows, from above and near
  bool symmetric = false;
  // Appends the row's columns, in any order; one that comes twice is one entry.
  std::function<void(std::int64_t row, std::vector<std::int32_t>& columns)> row;
};

// Pseudo-random numbers of a row, or of a pair of rows: splitmix64 (Steele, Lea, Flood 2014) from a seed of its own.
class Draws {
 public:
  Draws(std::uint64_t stream, std::uint64_t index) : state_(mix(mix(stream) ^ index)) {}

  std::uint64_t bits() { return mix(state_ += mix_step); }
  double unit() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }  // in [0, 1)
  // In [0, end), end at most 2^32; a number is more likely than another by no more than end / 2^32 of it.
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(((bits() >> 32U) * static_cast<std::uint64_t>(end)) >> 32U);
  }
  // Poisson's distribution by inversion; above 30 its normal approximation.
  std::int64_t poisson(double mean);

 private:
  std::uint64_t state_;
};

// The same draw for both directions of an edge.
inline Draws pair_draws(std::uint64_t stream, std::int64_t a, std::int64_t b) {
  const auto low = static_cast<std::uint64_t>(a < b ? a : b);
  const auto high = static_cast<std::uint64_t>(a < b ? b : a);
  return {stream, (low << 32U) | high};
}

enum class Numbering {
  natural,
  rcm,     // reverse Cuthill-McKee from row 0
  random,  // any permutation as likely as another
};

// Rows and columns of a square pattern renumbered alike; takes 8 bytes a row, and 10 while it is made.
Pattern renumbered(const Pattern& pattern, Numbering numbering);

// Every entry becomes a dense block of `size` x `size`.
Pattern blocks(const Pattern& pattern, std::int64_t size);

Crs assemble(const Pattern& pattern);

}  // namespace banzuke::spmv
