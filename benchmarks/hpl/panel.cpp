#include "panel.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/clock.hpp"

namespace banzuke::hpl {
namespace {

constexpr std::int64_t line = 64 / sizeof(double);

constexpr std::int64_t whole_lines(std::int64_t count) { return (count + line - 1) / line * line; }

// Layout of a message of the exchange, `width` numbers in each of the two rows.
enum Field { magnitude, global_row, has_current, pivot_row };

}  // namespace

std::size_t Panel::size(std::int64_t rows, std::int64_t width) {
  return index(whole_lines(width + width * width) + distance_of(rows) * width);
}

Panel::Panel(std::int64_t rows, std::int64_t width)
    : own_(std::make_unique<Array<double>>(size(rows, width))), numbers_(own_->data(), own_->size()) {}

void Panel::shape(std::int64_t first, std::int64_t columns, std::int64_t rows) {
  first_ = first;
  width_ = columns;
  rows_ = rows;
  ld_ = distance_of(rows);
  body_ = whole_lines(columns + columns * columns);
}

struct PanelFactorization::Share {
  int thread;
  int threads;
  std::int64_t begin;  // rows
  std::int64_t end;
};

PanelFactorization::PanelFactorization(const Grid& grid, Cyclic rows, int nbmin, int nb)
    : grid_(grid),
      rows_(std::move(rows)),
      kernels_(widest_kernels()),
      nbmin_(nbmin),
      candidates_(static_cast<std::size_t>(omp_get_max_threads())),
      mine_(static_cast<std::size_t>(pivot_row + 2 * nb)),
      theirs_(mine_.size()),
      factors_(static_cast<std::size_t>(nbmin)) {}

void PanelFactorization::run(Panel& panel) {
  exchange_seconds_ = 0.0;
  diagonal_rows_ = rows_.mine(panel.first()) ? panel.width() : 0;
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    const int threads = omp_get_num_threads();
    const auto edge = [&](int i) { return std::min(panel.rows(), whole_lines(panel.rows() * i / threads)); };
    recurse(panel, {thread, threads, edge(thread), edge(thread + 1)}, 0, static_cast<int>(panel.width()));
  }
}

void PanelFactorization::recurse(Panel& panel, const Share& share, int begin, int end) {
  if (end - begin <= nbmin_) {
    leaf(panel, share, begin, end);
    return;
  }
  const int leaves = (end - begin + nbmin_ - 1) / nbmin_;
  const int middle = begin + leaves / 2 * nbmin_;
  const int left = middle - begin;
  const int right = end - middle;
  recurse(panel, share, begin, middle);

  const std::int64_t width = panel.width();
  double* factors = panel.l1() + begin * width;
  const int first = middle + right * share.thread / share.threads;
  const int last = middle + right * (share.thread + 1) / share.threads;
  kernels_.solve(factors + first, factors + begin, width, left, last - first);
#pragma omp barrier
  const std::int64_t active = diagonal_rows_ > 0 ? middle : 0;
  kernels_.subtract_product(panel.body() + middle * panel.ld(), panel.body() + begin * panel.ld(), panel.ld(),
                            std::max(active, share.begin), share.end, right, left, factors + middle, width);
  recurse(panel, share, middle, end);
}

void PanelFactorization::leaf(Panel& panel, const Share& share, int begin, int end) {
  double* first = panel.body() + begin * panel.ld();
  for (int column = begin; column < end; ++column) {
    const std::int64_t active = std::max<std::int64_t>(diagonal_rows_ > 0 ? column : 0, share.begin);
    candidates_[static_cast<std::size_t>(share.thread)] =
        kernels_.advance(first, panel.ld(), active, share.end, column - begin, factors_.data(), inverse_);
#pragma omp barrier
    if (share.thread == 0) {
      const bool alone = rows_.ranks == 1;
      take_pivot(panel, column, alone ? begin : 0, alone ? end : static_cast<int>(panel.width()));
      if (column + 1 < end) prepare_column(panel, begin, column + 1);
    }
#pragma omp barrier
  }
  double* last = panel.body() + (end - 1) * panel.ld();
  for (std::int64_t row = std::max<std::int64_t>(diagonal_rows_ > 0 ? end : 0, share.begin); row < share.end; ++row) {
    last[row] *= inverse_;
  }
  if (rows_.ranks == 1) carry_along(panel, share, begin, end);
}

// What the leaf's interchanges do in the other columns, each of which one thread has.
void PanelFactorization::carry_along(Panel& panel, const Share& share, int begin, int end) const {
  const std::int64_t width = panel.width();
  const auto edge = [&](int i) { return std::min(width, whole_lines(width * i / share.threads)); };
  for (std::int64_t j = edge(share.thread); j < edge(share.thread + 1); ++j) {
    if (j >= begin && j < end) continue;
    double* column = panel.body() + j * panel.ld();
    for (int i = begin; i < end; ++i) {
      double& chosen = column[panel.pivot(i) - panel.first()];
      panel.l1()[i * width + j] = chosen;
      chosen = column[i];
    }
  }
#pragma omp barrier
}

Candidate PanelFactorization::best_candidate() const {
  Candidate best;
  for (const Candidate& one : candidates_) {
    if (one.magnitude > best.magnitude || (one.magnitude == best.magnitude && one.row < best.row)) best = one;
  }
  return best;
}

// In columns [begin, end).
void PanelFactorization::take_pivot(Panel& panel, int column, int begin, int end) {
  const auto width = static_cast<int>(panel.width());
  const std::int64_t above = rows_.before(panel.first());
  const std::int64_t current = panel.first() + column;
  double* body = panel.body();
  const Candidate best = best_candidate();
  const auto copy_row = [&](std::int64_t row, double* to) {
    for (int i = begin; i < end; ++i) to[i] = body[i * panel.ld() + row];
  };

  mine_[magnitude] = best.magnitude;
  mine_[global_row] = static_cast<double>(best.magnitude < 0.0 ? current : rows_.global(above + best.row));
  mine_[has_current] = diagonal_rows_ > 0 ? 1.0 : 0.0;
  double* chosen = mine_.data() + pivot_row;
  double* replaced = chosen + width;
  if (diagonal_rows_ > 0) copy_row(column, replaced);
  if (best.magnitude >= 0.0) copy_row(best.row, chosen);
  if (rows_.ranks > 1) {
    const double start = now();
    agree(width);
    exchange_seconds_ += now() - start;
  }
  // Only NaN everywhere: the diagonal's row goes on, and the check of the solution will tell.
  if (mine_[magnitude] < 0.0) std::copy_n(replaced, width, chosen);

  const auto pivot = static_cast<std::int64_t>(mine_[global_row]);
  panel.set_pivot(column, pivot);
  if (pivot != current && rows_.mine(pivot)) {
    const std::int64_t row = rows_.before(pivot) - above;
    for (int i = begin; i < end; ++i) body[i * panel.ld() + row] = replaced[i];
  }
  std::copy(chosen + begin, chosen + end, panel.l1() + static_cast<std::int64_t>(column) * width + begin);
  inverse_ = chosen[column] == 0.0 ? 0.0 : 1.0 / chosen[column];
}

void PanelFactorization::agree(int width) {
  const std::span<double> mine(mine_.data(), static_cast<std::size_t>(pivot_row + 2 * width));
  const std::span<double> theirs(theirs_.data(), mine.size());
  const auto merge = [&] {
    const auto chosen = theirs.subspan(pivot_row, static_cast<std::size_t>(width));
    if (theirs[magnitude] > mine[magnitude] ||
        (theirs[magnitude] == mine[magnitude] && theirs[global_row] < mine[global_row])) {
      mine[magnitude] = theirs[magnitude];
      mine[global_row] = theirs[global_row];
      std::ranges::copy(chosen, mine.begin() + pivot_row);
    }
    if (theirs[has_current] != 0.0) {
      mine[has_current] = 1.0;
      std::ranges::copy(theirs.last(static_cast<std::size_t>(width)), mine.end() - width);
    }
  };
  const SubCommunicator& ranks = grid_.along_column;
  const int rank = ranks.rank();
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks.size())));
  if (rank >= power) {
    ranks.send(rank - power, mine);
    ranks.receive(rank - power, mine);
    return;
  }
  const bool helps = rank + power < ranks.size();
  if (helps) {
    ranks.receive(rank + power, theirs);
    merge();
  }
  for (int distance = 1; distance < power; distance *= 2) {
    ranks.exchange(rank ^ distance, mine, theirs);
    merge();
  }
  if (helps) ranks.send(rank + power, mine);
}

// What the leaf's columns before `column` make of the pivots' rows in it.
void PanelFactorization::prepare_column(Panel& panel, int leaf_begin, int column) {
  const std::int64_t width = panel.width();
  for (int i = leaf_begin; i < column; ++i) {
    const double* row = panel.l1() + i * width;
    double value = row[column];
    for (int m = leaf_begin; m < i; ++m) value -= row[m] * factors_[static_cast<std::size_t>(m - leaf_begin)];
    factors_[static_cast<std::size_t>(i - leaf_begin)] = value;
    panel.l1()[i * width + column] = value;
  }
}

}  // namespace banzuke::hpl
