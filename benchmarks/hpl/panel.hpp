// One panel of an LU factorisation: its factors as every rank of the grid needs them, and their computation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/array.hpp"
#include "cyclic.hpp"
#include "grid.hpp"
#include "kernel_choice.hpp"

namespace banzuke::hpl {

// Columns [first, first + width) of the matrix. One buffer, so that one message broadcasts it along a grid row: the
// pivots, L1 (width x width, row-major: U above the diagonal, L below, the same on every rank), and the rank's own rows
// of the panel from row `first` on (column-major, columns `ld` apart).
class Panel {
 public:
  // For panels of at most `width` columns and `rows` local rows: in its own memory, or in given memory.
  Panel(std::int64_t rows, std::int64_t width);
  explicit Panel(std::span<double> memory) : numbers_(memory) {}
  static std::size_t size(std::int64_t rows, std::int64_t width);

  // Sets the columns [first, first + columns), of which this rank has `rows` rows.
  void shape(std::int64_t first, std::int64_t columns, std::int64_t rows);

  std::int64_t first() const { return first_; }
  std::int64_t width() const { return width_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t ld() const { return ld_; }

  // Global row interchanged with row first + i.
  std::int64_t pivot(std::int64_t i) const { return static_cast<std::int64_t>(numbers_[index(i)]); }
  void set_pivot(std::int64_t i, std::int64_t row) { numbers_[index(i)] = static_cast<double>(row); }
  double* l1() { return numbers_.data() + width_; }
  const double* l1() const { return numbers_.data() + width_; }
  double* body() { return numbers_.data() + body_; }
  const double* body() const { return numbers_.data() + body_; }
  std::span<double> message() { return numbers_.first(index(body_ + ld_ * width_)); }
  std::span<const double> message() const { return numbers_.first(index(body_ + ld_ * width_)); }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  std::unique_ptr<Array<double>> own_{};
  std::span<double> numbers_;
  std::int64_t first_ = 0;
  std::int64_t width_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t ld_ = 0;
  std::int64_t body_ = 0;
};

// Factorises panels with all threads of the rank: recursive halving down to `nbmin` columns, so that nearly all work is
// matrix products; each thread keeps its own rows. For every column, one exchange over the process column finds the
// pivot and distributes its row, and the row that it replaces, to all ranks. If one rank has all rows, they are swapped
// at first only in the leaf's columns, and in the others by all threads when the leaf is done.
class PanelFactorization {
 public:
  // `nb`: widest panel.
  PanelFactorization(const Grid& grid, Cyclic rows, int nbmin, int nb);

  // The panel's body holds the columns; collective over the process column. A column whose candidates are all zero gets
  // a zero on L1's diagonal and zero multipliers.
  void run(Panel& panel);

  // Seconds that the last panel's exchanges took, including waits for other ranks.
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  struct Share;  // of a thread
  void recurse(Panel& panel, const Share& share, int begin, int end);
  void leaf(Panel& panel, const Share& share, int begin, int end);
  Candidate best_candidate() const;
  void take_pivot(Panel& panel, int column, int begin, int end);
  void carry_along(Panel& panel, const Share& share, int begin, int end) const;
  void agree(int width);
  void prepare_column(Panel& panel, int leaf_begin, int column);

  const Grid& grid_;
  Cyclic rows_;
  const Kernels& kernels_;
  int nbmin_;
  std::vector<Candidate> candidates_;  // by thread
  std::vector<double> mine_, theirs_;  // the exchange's messages
  std::vector<double> factors_;        // of the leaf's next column
  double inverse_ = 0.0;               // of the last pivot
  std::int64_t diagonal_rows_ = 0;     // of the body: the panel's width on one process row, 0 on the others
  double exchange_seconds_ = 0.0;
};

}  // namespace banzuke::hpl
