// Device kernels that factorise narrow panels, columns `ld` apart. Each launch eliminates one column and finds the
// pivot of the next, so that thread blocks need not wait for each other within a launch.
#pragma once

#include "core/gpu/kernel.hpp"

namespace banzuke::hpl {

// What a launch leaves for the next: of each thread block the candidate for the pivot, as its magnitude (-1: none), its
// row and that row's elements; then the elements of the row that the pivot's will replace.
struct Candidates {
  static constexpr int widest = 16;
  static constexpr std::int64_t entry = 2 + widest;
  static constexpr std::int64_t size(std::int64_t blocks) { return blocks * entry + widest; }

  gpu::Elements<double> numbers;
};

// Step `column` of the leaf [begin, begin + width): eliminates its column before `column`, whose candidates are `from`,
// and finds those of `column`. Ties and columns without a candidate as on the processors.
struct Eliminate {
  static constexpr int threads = 256;
  static constexpr int rows_each = 2;
  static constexpr std::int64_t rows_of_block = std::int64_t{threads} * rows_each;
  static constexpr int widest = Candidates::widest;
  struct Shared {
    double magnitude[threads];
    std::int64_t row[threads];    // of the panel
    std::int64_t place[threads];  // the thread block that has it
    double chosen[widest];
    double replaced[widest];
    std::int64_t pivot;  // the row that gets `replaced`; -1: none
  };

  gpu::Elements<double> body;
  std::int64_t ld, rows;
  std::int64_t begin;
  int width, column;
  Candidates from, to;
  gpu::Elements<std::int64_t> pivots;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    if (column > 0) {
      take_pivot(block, shared);
      find_candidates(block, shared, [&](std::int64_t row) { return eliminate(shared, row); });
    } else {
      find_candidates(block, shared, [&](std::int64_t row) { return body[begin * ld + row]; });
    }
    if (column == width) return;
    reduce(block, shared);
    block.each([&](int thread) {
      const std::int64_t start = block.index() * Candidates::entry;
      if (thread == 0) {
        to.numbers[start] = shared.magnitude[0];
        to.numbers[start + 1] = static_cast<double>(shared.row[0]);
      }
      if (thread >= width) return;
      const std::int64_t line = (begin + thread) * ld;
      if (shared.magnitude[0] >= 0.0) to.numbers[start + 2 + thread] = body[line + shared.row[0]];
      if (block.index() == 0) to.numbers[block.blocks() * Candidates::entry + thread] = body[line + begin + column];
    });
  }

 private:
  // `element`: of a row in `column`, for all rows that are left.
  template <class Element>
  BANZUKE_GPU void find_candidates(const gpu::Block<threads>& block, Shared& shared, Element element) const {
    block.each([&](int thread) {
      double most = -1.0;
      std::int64_t best = 0;
      BANZUKE_UNROLL
      for (int k = 0; k < rows_each; ++k) {
        const std::int64_t row = begin + block.index() * rows_of_block + k * threads + thread;
        if (row < begin + column || row >= rows) continue;
        const double value = element(row);
        const double magnitude = value < 0.0 ? -value : value;
        if (magnitude > most) {
          most = magnitude;
          best = row;
        }
      }
      shared.magnitude[thread] = most;
      shared.row[thread] = best;
      shared.place[thread] = block.index();
    });
  }

  BANZUKE_GPU static bool better(double magnitude, std::int64_t row, double than, std::int64_t than_row) {
    return magnitude > than || (magnitude == than && row < than_row);
  }

  BANZUKE_GPU static void reduce(const gpu::Block<threads>& block, Shared& shared) {
    for (int half = threads / 2; half > 0; half /= 2) {
      block.each([&](int thread) {
        if (thread >= half) return;
        const int other = thread + half;
        if (!better(shared.magnitude[other], shared.row[other], shared.magnitude[thread], shared.row[thread])) return;
        shared.magnitude[thread] = shared.magnitude[other];
        shared.row[thread] = shared.row[other];
        shared.place[thread] = shared.place[other];
      });
    }
  }

  // Every block finds the pivot itself, and has its row and the one that it replaces; the first stores the pivot's.
  BANZUKE_GPU void take_pivot(const gpu::Block<threads>& block, Shared& shared) const {
    block.each([&](int thread) {
      shared.magnitude[thread] = -1.0;
      shared.row[thread] = 0;
      shared.place[thread] = 0;
      for (std::int64_t i = thread; i < block.blocks(); i += threads) {
        const double magnitude = from.numbers[i * Candidates::entry];
        const auto row = static_cast<std::int64_t>(from.numbers[i * Candidates::entry + 1]);
        if (!better(magnitude, row, shared.magnitude[thread], shared.row[thread])) continue;
        shared.magnitude[thread] = magnitude;
        shared.row[thread] = row;
        shared.place[thread] = i;
      }
    });
    reduce(block, shared);
    const std::int64_t current = begin + column - 1;
    block.each([&](int thread) {
      const bool none = shared.magnitude[0] < 0.0;
      if (thread == 0) shared.pivot = none ? -1 : shared.row[0];
      if (thread >= width) return;
      const double replaced = from.numbers[block.blocks() * Candidates::entry + thread];
      const double chosen = none ? replaced : from.numbers[shared.place[0] * Candidates::entry + 2 + thread];
      shared.replaced[thread] = replaced;
      shared.chosen[thread] = chosen;
      if (block.index() > 0) return;
      body[(begin + thread) * ld + current] = chosen;
      if (thread == 0) pivots[current] = none ? current : shared.row[0];
    });
  }

  // Returns the row's element in `column`, if that is one of the leaf's.
  BANZUKE_GPU double eliminate(const Shared& shared, std::int64_t row) const {
    const bool swapped = row == shared.pivot;
    double values[widest] = {};
    BANZUKE_UNROLL
    for (int k = 0; k < widest; ++k) {
      if (k < width && (swapped || k >= column - 1)) {
        values[k] = swapped ? shared.replaced[k] : body[(begin + k) * ld + row];
      }
    }
    const double pivot = shared.chosen[column - 1];
    const double inverse = pivot == 0.0 ? 0.0 : 1.0 / pivot;
    double factor = 0.0;
    double next = 0.0;
    BANZUKE_UNROLL
    for (int k = 0; k < widest; ++k) {
      if (k == column - 1) factor = values[k] *= inverse;
      if (k >= column && k < width) values[k] -= factor * shared.chosen[k];
      if (k == column) next = values[k];
      if (k < width && (swapped || k >= column - 1)) body[(begin + k) * ld + row] = values[k];
    }
    return next;
  }
};

// The interchanges of the leaf [begin, end) in one other column of the panel.
struct CarryAlong {
  gpu::Elements<double> body;
  std::int64_t ld, begin, end;
  gpu::Elements<const std::int64_t> pivots;

  BANZUKE_GPU void operator()(std::int64_t i) const {
    const std::int64_t start = (i < begin ? i : i + end - begin) * ld;
    for (std::int64_t row = begin; row < end; ++row) {
      const double chosen = body[start + pivots[row]];
      body[start + pivots[row]] = body[start + row];
      body[start + row] = chosen;
    }
  }
};

}  // namespace banzuke::hpl
