// The row interchanges of a step, in columns to the right of its panel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/array.hpp"
#include "matrix.hpp"
#include "panel.hpp"
#include "schedule.hpp"

namespace banzuke::hpl {

// The combined effect of a panel's interchanges.
struct RowMoves {
  explicit RowMoves(const Panel& panel);

  struct Displaced {
    std::int64_t row;  // global, within the diagonal block
    std::int64_t to;   // global, below it
  };

  std::vector<std::int64_t> sources;  // global row that becomes row i of the diagonal block, and so of U
  std::vector<Displaced> displaced;
};

// The interchanges within one rank, in local columns [begin, end), one after another.
void interchange(Matrix& matrix, const Panel& panel, std::int64_t begin, std::int64_t end);

// In the order of the official code's numbers; `mixed`: binary exchange for few columns.
enum class Swap { binary_exchange, spread_roll, mixed };
inline constexpr std::array swap_names{"binary-exchange", "spread-roll", "mixed"};
Swap swap_kind(const std::string& name);

// The interchanges over a process column, in a range of columns: every rank gets all of U's rows, and the rows that
// they displace go from the diagonal block's rank to where U's rows were. In stages, so that communication overlaps
// computation in other columns: plan(), packing, send(), finish(), and unpacking. The owner of the matrix packs and
// unpacks; in between the rows are in consecutive slots.
class RowExchange {
 public:
  // Number of doubles in the slots.
  static std::size_t size(const Distribution& of, std::int64_t nb) {
    return static_cast<std::size_t>(2 * nb * of.local_columns);
  }
  RowExchange(const Grid& grid, const Distribution& of, Swap kind, std::int64_t threshold, std::span<double> slots);

  // For rows of local columns [begin, end).
  void plan(const Panel& panel, std::int64_t begin, std::int64_t end);
  void send();
  void poll();
  void finish();

  struct Place {
    std::int64_t row;  // local row of the matrix
    std::int64_t slot;
  };
  const std::vector<Place>& outgoing() const { return outgoing_; }
  const std::vector<Place>& arriving() const { return arriving_; }              // displaced rows that I receive
  const std::vector<RowMoves::Displaced>& staying() const { return staying_; }  // those that stay with me; local rows
  const std::vector<std::int64_t>& order() const { return order_; }             // slot of U's row i
  std::int64_t diagonal() const { return diagonal_; }  // local row of the diagonal block, -1 on other process rows
  std::int64_t begin() const { return begin_; }
  std::int64_t columns() const { return columns_; }                                                    // of a slot
  std::size_t used() const { return static_cast<std::size_t>(gathered_.back() + displaced_.back()); }  // numbers
  double* slot(std::int64_t number) { return slots_.data() + number * columns_; }

 private:
  const Grid& grid_;
  const Distribution& of_;
  Swap kind_;
  std::int64_t threshold_;
  std::span<double> slots_;  // U's rows by source rank, then the displaced rows
  std::int64_t begin_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t diagonal_ = -1;
  int root_ = 0;  // process row of the diagonal block
  std::vector<Place> outgoing_, arriving_;
  std::vector<RowMoves::Displaced> staying_;
  std::vector<std::int64_t> order_;
  std::vector<std::int64_t> gathered_, displaced_;  // where each rank's rows begin
  // Two, because a waiting one must not block the other, on which the wait may depend.
  std::optional<Communication> gather_;
  std::optional<Communication> displace_;
};

// The same for a matrix on the processors.
class HostRows {
 public:
  HostRows(const Grid& grid, Matrix& matrix, std::int64_t nb, Swap kind, std::int64_t threshold);

  // Packs the rows and starts the messages.
  void start(const Panel& panel, std::int64_t begin, std::int64_t end);
  void poll() { exchange_.poll(); }
  void finish() { exchange_.finish(); }

  // After finish(), for columns within the range, by any thread: unpacks the rows to their targets.
  void place(std::int64_t begin, std::int64_t end);

  // Where place() puts U's rows from local column `column` on, and their leading dimension: in the matrix on ranks with
  // the diagonal block, in a buffer on the others.
  double* u(std::int64_t column);
  std::int64_t ldu() const;

 private:
  Matrix& matrix_;
  Array<double> slots_;
  Array<double> u_;
  RowExchange exchange_;
};

}  // namespace banzuke::hpl
