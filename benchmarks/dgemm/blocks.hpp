// Blocks of C that groups of different speed take while they compute one product.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/shares.hpp"

namespace banzuke::dgemm {

// In columns. Strips are a multiple of the libraries' register tiles (4, 6, 8, 12, 16 or 24 columns), and wide enough
// that reading A does not take longer than computing.
inline constexpr std::int64_t strip_unit = 48;

// Rows and columns of C, and the columns of A and rows of B that are multiplied and added to it.
struct Block {
  Strip rows;
  Strip columns;
  Strip inner;

  std::int64_t elements() const { return rows.size() * columns.size(); }
  // Multiplications, each with an addition.
  std::int64_t updates() const { return elements() * inner.size(); }
  bool operator==(const Block&) const = default;
};

struct Extent {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

// The end of the cut of the inner dimension that begins at `begin`.
std::int64_t end_of_cut(std::int64_t k, std::int64_t begin);
inline constexpr std::size_t most_cuts = 8;

// Columns that a group gave to all: their products from `inner` on are not computed yet.
struct Gift {
  alignas(64) std::atomic<std::int64_t> next;  // of their rows
  std::atomic<std::int64_t> begin, end;
  std::atomic<std::int64_t> inner;  // 0: there is none
};

// What was taken of an area, in memory shared by the groups; all zeros initially.
struct Account {
  alignas(64) std::atomic<std::int64_t> next;  // of the rows
  std::atomic<std::int64_t> begun, computed;   // of the inner dimension, by the owner
  std::atomic<std::int64_t> given;             // columns
  std::atomic<bool> finished;                  // the owner gives no more
  std::array<Gift, most_cuts> gifts;

  void clear();
};

// What is expected of the groups before a call.
struct Forecast {
  std::vector<double> rates;
  double own_part;  // of all columns, which are in the groups' own areas
};

// Where the rates come from: each group alone, or the product itself.
enum class Measured { alone, in_product };

// Groups whose measured rates differ from their weights by no more than those of equal cores do are taken as equal: the
// difference is noise. The rates of others are less certain, so more is left to all, unless the product had them
// before.
Forecast forecast(const std::vector<double>& measured, const std::vector<double>& weights,
                  Measured how = Measured::alone);

// A group's rate over the last moments in which it computed, so that a group that slows down late is known as slow.
class RecentRate {
 public:
  void add(double work, double seconds);
  // 0 if nothing was added.
  double value() const { return seconds_ > 0.0 ? work_ / seconds_ : 0.0; }

 private:
  std::deque<std::pair<double, double>> last_{};  // work and seconds
  double work_ = 0.0;
  double seconds_ = 0.0;
};

// Dynamic distribution. A library packs A again for each strip of columns and B again for each strip of rows, which
// costs as much as some 15 more columns or 25 more rows; but it packs both again for each few hundred of the inner
// dimension in any case, so cuts there cost nothing. Each group has an area of columns for most of its expected share,
// and computes all of it cut by cut. A narrow area common to all evens out the end: in it, a strip of rows packs
// little. A group that sees at a cut that it would end after the others gives away columns of its area, from there on.
// Where the inner dimension is too short for cuts, own areas are taken in few blocks of rows instead, and a group that
// falls behind loses those that it has not begun.
class Blocks {
 public:
  // `accounts`: one for each group and one more, all zeros initially. `rates`: current rates of the groups in updates
  // per second, all positive; `expected`: the same for all groups. `whole_columns`: blocks have all rows, as devices
  // need it.
  Blocks(const Extent& extent, std::span<Account> accounts, std::span<std::atomic<double>> rates,
         const Forecast& expected, bool whole_columns);

  // The next block for this group: of its own area, then of the common one, then of others. Empty if nothing is left
  // that it would finish before others do; nothing if that holds now, but another group may still give some.
  std::optional<Block> take(std::size_t group) const;
  // Updates a group's rate; later blocks depend on it.
  void tell(std::size_t group, double rate) const { rates_[group].store(rate, std::memory_order_relaxed); }
  // The group takes no more blocks, for whatever reason: nobody waits for gifts of it.
  void leave(std::size_t group) const { accounts_[group].finished.store(true); }

 private:
  enum class Own { none, rows, cuts };

  Block take_cut(std::size_t group) const;
  Block take_of_area(std::size_t area, std::size_t group) const;
  Block take_of_gifts(std::size_t group) const;
  void give_surplus(std::size_t group) const;
  double left_of(std::size_t area) const;  // updates
  bool all_finished() const;
  Dealing rows_of(std::atomic<std::int64_t>& next, std::size_t keeper) const;

  Extent extent_;
  std::span<Account> accounts_;
  std::span<std::atomic<double>> rates_;
  Own own_ = Own::none;  // none: all columns are dealt
  std::size_t fastest_;
  std::vector<Strip> areas_{};  // columns of each group's area and of the common one
};

}  // namespace banzuke::dgemm
