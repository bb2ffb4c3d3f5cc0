// Blocks of C that groups of different speed take while they compute one product.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/shares.hpp"

namespace banzuke::dgemm {

// In columns. Strips are a multiple of the libraries' register tiles (4, 6, 8, 12, 16 or 24 columns), and wide enough
// that reading A does not take longer than computing.
inline constexpr std::int64_t strip_unit = 48;

struct Block {
  Strip rows;
  Strip columns;

  std::int64_t elements() const { return rows.size() * columns.size(); }
  bool operator==(const Block&) const = default;
};

// In memory shared by the groups; a cache line for each, because all groups change them.
struct Counter {
  alignas(64) std::atomic<std::int64_t> next;
};

// What is expected of the groups before a call.
struct Forecast {
  std::vector<double> rates;
  double own_part;  // of all columns, which are in the groups' own areas
};

// Groups whose measured rates differ from their weights by no more than those of equal cores do are taken as equal: the
// difference is noise. The rates of others are less certain, so more is left to all.
Forecast forecast(const std::vector<double>& measured, const std::vector<double>& weights);

// Dynamic distribution. A library packs A again for each strip of columns and B again for each strip of rows, which
// costs as much as some 15 more columns or 25 more rows. So each group computes most of its expected share in few large
// blocks, and a narrow area common to all evens out the end: in it, a strip of rows packs little. A group that falls
// behind loses the blocks of its own area that it has not yet taken to the others.
class Blocks {
 public:
  // `next`: one for each group and one more, all 0 initially. `rates`: current rates of the groups, all positive;
  // `expected`: the same for all groups. `whole_columns`: blocks have all rows, as devices need it.
  Blocks(std::int64_t m, std::int64_t n, std::span<Counter> next, std::span<std::atomic<double>> rates,
         const Forecast& expected, bool whole_columns);

  // The next block for this group: of its own area, then of the common one, then of others. Empty if nothing is left
  // that it would finish before others do.
  Block take(std::size_t group) const;
  // Updates a group's rate; later blocks depend on it.
  void tell(std::size_t group, double rate) const { rates_[group].store(rate, std::memory_order_relaxed); }

 private:
  std::int64_t m_;
  std::span<std::atomic<double>> rates_;
  std::vector<Strip> areas_{};  // columns of each group's area and of the common one; empty: all columns are dealt
  std::vector<Dealing> dealings_{};
};

}  // namespace banzuke::dgemm
