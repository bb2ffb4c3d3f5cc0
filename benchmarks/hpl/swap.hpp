// The row interchanges of a step, in the columns to the right of its panel.
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

// What the interchanges of a panel do, all together.
struct RowMoves {
  explicit RowMoves(const Panel& panel);

  struct Displaced {
    std::int64_t row;  // global, within the diagonal block
    std::int64_t to;   // global, below it
  };

  std::vector<std::int64_t> sources;  // global row that becomes row i of the diagonal block, hence of U
  std::vector<Displaced> displaced;
};

// The interchanges within one rank, in local columns [begin, end): one after another.
void interchange(Matrix& matrix, const Panel& panel, std::int64_t begin, std::int64_t end);

// In the order of the official code's numbers; `mixed`: binary exchange for few columns.
enum class Swap { binary_exchange, spread_roll, mixed };
inline constexpr std::array swap_names{"binary-exchange", "spread-roll", "mixed"};
Swap swap_kind(const std::string& name);

// The interchanges over a process column, in a range of columns: every rank gets all of U's rows, and the rows that
// they displace go from the diagonal block's rank to where U's rows were. In three stages, so that the messages travel
// while the rank computes in other columns.
class RowExchange {
 public:
  RowExchange(const Grid& grid, Matrix& matrix, std::int64_t nb, Swap kind, std::int64_t threshold);

  // Packs rows of local columns [begin, end) and starts the messages.
  void start(const Panel& panel, std::int64_t begin, std::int64_t end);
  void poll();
  void finish();

  // After finish(), for columns within the range, by any thread: puts the rows where they belong.
  void place(std::int64_t begin, std::int64_t end);

  // Where place() puts U's rows from local column `column` on, and their distance: in the matrix on the ranks that hold
  // the diagonal block, in a buffer on the others.
  double* u(std::int64_t column);
  std::int64_t ldu() const;

 private:
  struct Place {
    std::int64_t row;  // local row of the matrix, or row of U
    std::int64_t slot;
  };

  const Grid& grid_;
  Matrix& matrix_;
  Swap kind_;
  std::int64_t threshold_;
  Array<double> buffer_;  // slots of one row each: U's rows by the rank they come from, then the displaced rows
  Array<double> u_;
  std::int64_t begin_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t diagonal_ = -1;              // local row of the diagonal block, -1 on other process rows
  std::vector<std::int64_t> order_;         // slot of U's row i
  std::vector<Place> arriving_;             // displaced rows that come to me
  std::vector<RowMoves::Displaced> local_;  // displaced rows that stay with me
  // Two, because one that waits must not hold up the other, which may be what the waiting is for.
  std::optional<Communication> gather_;
  std::optional<Communication> displace_;
};

}  // namespace banzuke::hpl
