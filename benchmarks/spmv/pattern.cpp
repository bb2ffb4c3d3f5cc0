#include "pattern.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/array.hpp"
#include "core/random.hpp"

namespace banzuke::spmv {
namespace {

using Columns = std::vector<std::int32_t>;

void sort_unique(Columns& columns) {
  if (std::ranges::adjacent_find(columns, std::ranges::greater_equal{}) == columns.end()) return;
  std::ranges::sort(columns);
  // NOLINTNEXTLINE(modernize-use-ranges): Clang before 16 cannot compile libstdc++'s
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

// Calls `work(i, columns)` for all i < end on all threads, each with its own `columns`. An exception of a call is
// thrown again after the loop.
template <class Work>
void parallel(std::int64_t end, const Work& work) {
  std::exception_ptr caught;
#pragma omp parallel
  {
    Columns columns;
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < end; ++i) {
      try {
        work(i, columns);
      } catch (...) {
#pragma omp critical(banzuke_spmv_caught)
        caught = std::current_exception();
      }
    }
  }
  if (caught) std::rethrow_exception(caught);
}

// Pieces of consecutive rows with about `entries` entries each.
struct Pieces {
  Pieces(const Pattern& pattern, double entries)
      : rows(pattern.rows),
        grain(std::max<std::int64_t>(
            1, std::llround(entries * static_cast<double>(rows) / std::max(pattern.nonzeros, 1.0)))) {}

  std::int64_t count() const { return (rows + grain - 1) / grain; }
  std::int64_t begin(std::int64_t piece) const { return piece * grain; }
  std::int64_t end(std::int64_t piece) const { return std::min(rows, (piece + 1) * grain); }

  std::int64_t rows;
  std::int64_t grain;
};

struct Permutation {
  Columns old_of_new;
  Columns new_of_old;
};

// Returns the reverse Cuthill-McKee order (Cuthill, McKee 1969; George 1971): breadth first, neighbours by increasing
// degree.
Columns rcm(const Pattern& pattern) {
  Columns degree(index(pattern.rows));
  const Pieces pieces(pattern, 1e5);
  parallel(pieces.count(), [&](std::int64_t piece, Columns& columns) {
    for (std::int64_t row = pieces.begin(piece); row < pieces.end(piece); ++row) {
      columns.clear();
      pattern.row(row, columns);
      sort_unique(columns);
      degree[index(row)] = static_cast<std::int32_t>(columns.size());
    }
  });
  Columns order;
  order.reserve(index(pattern.rows));
  std::vector<bool> reached(index(pattern.rows));
  Columns columns;
  const auto reach = [&](std::int32_t row) {
    reached[index(row)] = true;
    order.push_back(row);
  };
  for (std::int64_t root = 0; root < pattern.rows; ++root) {  // one turn for each connected part
    if (reached[index(root)]) continue;
    reach(static_cast<std::int32_t>(root));
    for (std::size_t next = order.size() - 1; next < order.size(); ++next) {
      columns.clear();
      pattern.row(order[next], columns);
      std::erase_if(columns, [&](std::int32_t column) { return reached[index(column)]; });
      sort_unique(columns);
      std::ranges::stable_sort(columns, {}, [&](std::int32_t column) { return degree[index(column)]; });
      for (const std::int32_t column : columns) reach(column);
    }
  }
  std::ranges::reverse(order);
  return order;
}

// Returns a random order, by the Fisher-Yates shuffle.
Columns shuffled(std::int64_t size) {
  Columns order(index(size));
  std::iota(order.begin(), order.end(), 0);
  Draws draws(200, 0);
  for (std::int64_t last = size; last-- > 1;) std::swap(order[index(last)], order[index(draws.below(last + 1))]);
  return order;
}

}  // namespace

std::int64_t Draws::poisson(double mean) {
  if (mean > 30.0) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - unit()));
    const double normal = radius * std::cos(2.0 * std::numbers::pi * unit());
    return std::max<std::int64_t>(0, std::llround(mean + std::sqrt(mean) * normal));
  }
  double probability = std::exp(-mean);
  double rest = unit() - probability;
  std::int64_t count = 0;
  while (rest >= 0.0 && probability > 0.0) {  // it underflows if rounding leads into the tail
    ++count;
    probability *= mean / static_cast<double>(count);
    rest -= probability;
  }
  return count;
}

Pattern renumbered(const Pattern& pattern, Numbering numbering) {
  if (numbering == Numbering::natural) return pattern;
  auto order = std::make_shared<Permutation>();
  order->old_of_new = numbering == Numbering::rcm ? rcm(pattern) : shuffled(pattern.rows);
  order->new_of_old.resize(index(pattern.rows));
  for (std::int64_t row = 0; row < pattern.rows; ++row) {
    order->new_of_old[index(order->old_of_new[index(row)])] = static_cast<std::int32_t>(row);
  }
  Pattern out = pattern;
  out.row = [row_of = pattern.row, order = std::move(order)](std::int64_t row, Columns& columns) {
    const std::size_t first = columns.size();
    row_of(order->old_of_new[index(row)], columns);
    for (std::size_t i = first; i < columns.size(); ++i) columns[i] = order->new_of_old[index(columns[i])];
  };
  return out;
}

Pattern blocks(const Pattern& pattern, std::int64_t size) {
  Pattern out = pattern;
  out.rows *= size;
  out.columns *= size;
  out.nonzeros *= static_cast<double>(size * size);
  out.row = [row_of = pattern.row, size](std::int64_t row, Columns& columns) {
    const std::size_t first = columns.size();
    row_of(row / size, columns);
    const std::size_t entries = columns.size() - first;
    columns.resize(first + entries * index(size));
    for (std::size_t entry = entries; entry-- > 0;) {  // from the back, because they are spread in place
      const std::int64_t block = columns[first + entry];
      for (std::int64_t i = 0; i < size; ++i) {
        columns[first + entry * index(size) + index(i)] = static_cast<std::int32_t>(block * size + i);
      }
    }
  };
  return out;
}

Crs assemble(const Pattern& pattern) {
  Crs matrix{.rows = pattern.rows, .columns = pattern.columns, .start = {}, .column = {}, .value = {}};
  matrix.start.resize(index(pattern.rows) + 1);

  // Each piece has pages of its own, which are returned to the system one by one.
  const Pieces pieces(pattern, 2.5e5);
  std::vector<std::unique_ptr<Array<std::int32_t>>> made(index(pieces.count()));
  parallel(pieces.count(), [&](std::int64_t piece, Columns& columns) {
    Columns all;
    for (std::int64_t row = pieces.begin(piece); row < pieces.end(piece); ++row) {
      columns.clear();
      pattern.row(row, columns);
      sort_unique(columns);
      all.insert(all.end(), columns.begin(), columns.end());
      matrix.start[index(row) + 1] = static_cast<std::int64_t>(columns.size());
    }
    made[index(piece)] = std::make_unique<Array<std::int32_t>>(all.size());
    std::ranges::copy(all, made[index(piece)]->data());
  });
  std::partial_sum(matrix.start.begin(), matrix.start.end(), matrix.start.begin());

  matrix.column.resize(index(matrix.nonzeros()));
  parallel(pieces.count(), [&](std::int64_t piece, Columns&) {
    const auto from = std::exchange(made[index(piece)], nullptr);
    std::ranges::copy(from->span(), matrix.column.begin() + matrix.start[index(pieces.begin(piece))]);
  });

  matrix.value.resize(matrix.column.size());
  parallel(pieces.count(), [&](std::int64_t piece, Columns&) {
    for (std::int64_t row = pieces.begin(piece); row < pieces.end(piece); ++row) {
      for (auto entry = index(matrix.start[index(row)]); entry < index(matrix.start[index(row) + 1]); ++entry) {
        auto low = static_cast<std::uint64_t>(row);
        auto high = static_cast<std::uint64_t>(matrix.column[entry]);
        if (pattern.symmetric && low > high) std::swap(low, high);
        matrix.value[entry] = uniform(201, (low << 32U) | high);
      }
    }
  });
  return matrix;
}

}  // namespace banzuke::spmv
