#include "host_store.hpp"

#include <algorithm>

#include "deal.hpp"
#include "reference.hpp"

namespace banzuke::hpl {

HostStore::HostStore(const Params& p, const Grid& grid, const std::vector<std::vector<int>>& places)
    : matrix_(grid, p.n, p.nb, column_turns(p)),
      update_(places),
      panels_{Panel(matrix_.local_rows, p.nb), Panel(matrix_.local_rows, p.nb)} {
  if (grid.rows == 1) return;
  for (auto& exchange : exchanges_) {
    exchange = std::make_unique<HostRows>(grid, matrix_, p.nb, swap_kind(p.swap), p.swap_threshold);
  }
}

// Eight rows at a time, so that whole cache lines of the panel's columns are written; the next rows are on their way
// meanwhile, because no prefetcher follows so many streams.
void HostStore::fetch(Panel& panel) {
  if (!matrix_.columns.mine(panel.first())) return;
  constexpr std::int64_t height = 8;
  const std::int64_t row = matrix_.rows.before(panel.first());
  const std::int64_t column = matrix_.columns.before(panel.first());
  const std::int64_t ahead = 2 * height * matrix_.ld;
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < panel.rows(); begin += height) {
    const std::int64_t count = std::min(height, panel.rows() - begin);
    const double* from = matrix_.at(row + begin, column);
    double* to = panel.body() + begin;
    for (std::int64_t j = 0; j < panel.width(); ++j) {
      if (j % 8 == 0) {
        for (std::int64_t i = 0; i < count; ++i) __builtin_prefetch(from + ahead + i * matrix_.ld + j);
      }
      for (std::int64_t i = 0; i < count; ++i) to[j * panel.ld() + i] = from[i * matrix_.ld + j];
    }
  }
}

void HostStore::take(const Panel& panel) {
  if (!matrix_.rows.mine(panel.first()) || !matrix_.columns.mine(panel.first())) return;
  const std::int64_t row = matrix_.rows.before(panel.first());
  const std::int64_t column = matrix_.columns.before(panel.first());
  for (std::int64_t i = 0; i < panel.width(); ++i) {
    std::copy_n(panel.l1() + i * panel.width() + i, panel.width() - i, matrix_.at(row + i, column + i));
  }
}

void HostStore::start_exchange(int part, const Panel& panel, std::int64_t begin, std::int64_t end) {
  exchange(part)->start(panel, begin, end);
}

void HostStore::finish_exchange(int part) { exchange(part)->finish(); }

void HostStore::poll_exchanges() {
  for (auto& exchange : exchanges_) {
    if (exchange) exchange->poll();
  }
}

double HostStore::update(const Panel& panel, int part, std::int64_t begin, std::int64_t end, int looks,
                         const std::function<void()>& poll) {
  HostRows* const rows = exchange(part);
  const std::int64_t above = matrix_.rows.before(panel.first());
  const std::int64_t below = matrix_.rows.before(panel.first() + panel.width());
  const Trailing trailing{.u = rows ? rows->u(begin) : matrix_.at(above, begin),
                          .ldu = rows ? rows->ldu() : matrix_.ld,
                          .c = matrix_.at(below, begin),
                          .ldc = matrix_.ld,
                          .rows = matrix_.local_rows - below,
                          .columns = end - begin};
  return update_.run(
      panel, panel.body() + (below - above), trailing,
      [&](std::int64_t from, std::int64_t to) {
        if (rows) {
          rows->place(begin + from, begin + to);
        } else {
          interchange(matrix_, panel, begin + from, begin + to);
        }
      },
      looks, poll);
}

// Whole rows, as they lie in memory.
void HostStore::subtract_solved(std::int64_t row, std::int64_t later, std::span<const double> x,
                                std::span<double> sides) {
  const std::int64_t own_columns = matrix_.columns.before(matrix_.n);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const double* u = matrix_.at(row + static_cast<std::int64_t>(i), 0);
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = later; j < own_columns; ++j) sum += u[j] * x[static_cast<std::size_t>(j)];
    sides[i] = (matrix_.columns.mine(matrix_.n) ? u[own_columns] : 0.0) - sum;
  }
}

std::vector<double> HostStore::row_sums(std::span<const double> x) { return hpl::row_sums(matrix_, x); }

Json::Object HostStore::software() const {
  return {{"blas", update_.library()}, {"blas_path", update_.library_path()}};
}

}  // namespace banzuke::hpl
