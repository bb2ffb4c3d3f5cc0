// The problem made on the device, and stored anew for the solver; the plain loops of the reference.
#pragma once

#include "core/gpu/kernel.hpp"
#include "gpu_views.hpp"

namespace banzuke::hpcg {

inline constexpr int setup_threads = 128;

template <class Row>
struct OverRows {
  static constexpr int threads = setup_threads;
  struct Shared {};

  std::int64_t n;
  Row row;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    block.each([&](int thread) {
      const std::int64_t i = block.index() * threads + thread;
      if (i < n) row(i);
    });
  }
};

// The rows of the 27-point stencil on a box, and the right-hand side for which the solution is 1 everywhere.
struct Generate {
  BoxView box;
  gpu::Elements<std::int32_t> column;
  gpu::Elements<double> value;
  gpu::Elements<double> b;

  BANZUKE_GPU void operator()(std::int64_t row) const {
    const std::int64_t rows = box.x * box.y * box.z;
    const std::int64_t x = row % box.x;
    const std::int64_t y = row / box.x % box.y;
    const std::int64_t z = row / box.x / box.y;
    int k = 0;
    for (std::int64_t c = z > 0 ? z - 1 : z; c <= z + 1 && c < box.z; ++c) {
      for (std::int64_t j = y > 0 ? y - 1 : y; j <= y + 1 && j < box.y; ++j) {
        for (std::int64_t i = x > 0 ? x - 1 : x; i <= x + 1 && i < box.x; ++i) {
          const std::int64_t at = i + box.x * (j + box.y * c);
          column[k * rows + row] = static_cast<std::int32_t>(at);
          value[k * rows + row] = at == row ? 26.0 : -1.0;
          ++k;
        }
      }
    }
    b[row] = 26.0 - (k - 1);
    for (; k < width; ++k) {
      column[k * rows + row] = -1;
      value[k * rows + row] = 0.0;
    }
  }
};

// Where the rows go: eight colours by the parity of the point's coordinates, the coarse grid's points last; of a colour
// in the grid's order. That no row depends on one of its own colour is seen from the matrix afterwards.
struct SetPlaces {
  BoxView box;
  gpu::Elements<const std::int64_t> first;
  gpu::Elements<std::int32_t> place_of;
  gpu::Elements<std::int32_t> row_of;

  BANZUKE_GPU void operator()(std::int64_t row) const {
    const std::int64_t x = row % box.x;
    const std::int64_t y = row / box.x % box.y;
    const std::int64_t z = row / box.x / box.y;
    const std::int64_t colour = colour_count - 1 - (x % 2 + 2 * (y % 2) + 4 * (z % 2));
    const std::int64_t wide = (box.x + 1 - x % 2) / 2;
    const std::int64_t high = (box.y + 1 - y % 2) / 2;
    const std::int64_t place = first[colour] + x / 2 + wide * (y / 2 + high * (z / 2));
    place_of[row] = static_cast<std::int32_t>(place);
    row_of[place] = static_cast<std::int32_t>(row);
  }
};

// Which part of the matrix an entry belongs to.
enum class Share : std::uint8_t { diagonal, lower, middle, tail };
struct Shares {
  std::int64_t last;  // first place of the last colour

  BANZUKE_GPU Share of(std::int64_t place, std::int64_t column) const {
    if (column == place) return Share::diagonal;
    if (column < place) return Share::lower;
    return column < last ? Share::middle : Share::tail;
  }
};

// The longest row of each chunk in each part, and how many entries join two rows of one colour.
struct Count {
  static constexpr int threads = setup_threads;
  struct Shared {
    std::int32_t length[3][threads];
    double conflicts[threads];
  };

  PlainView plain;
  std::int64_t places;
  Shares shares;
  gpu::Elements<const std::int64_t> first;
  gpu::Elements<const std::int32_t> place_of;
  gpu::Elements<const std::int32_t> row_of;
  gpu::Elements<std::int32_t> lengths;  // of all chunks in L, then in M, then in T
  gpu::Elements<double> conflicts;

  BANZUKE_GPU int colour_of(std::int64_t place) const {
    int colour = 0;
    while (place >= first[colour + 1]) ++colour;
    return colour;
  }

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    const std::int64_t begin = block.index() * threads;
    block.each([&](int thread) {
      std::int32_t length[4] = {};
      double found = 0.0;
      const std::int64_t place = begin + thread;
      const std::int64_t row = place < places ? row_of[place] : -1;
      for (int k = 0; k < width && row >= 0; ++k) {
        const std::int32_t column = plain.column[k * plain.rows + row];
        if (column < 0) break;
        const std::int64_t other = place_of[column];
        ++length[static_cast<int>(shares.of(place, other))];
        if (other != place && colour_of(other) == colour_of(place)) found += 1.0;
      }
      for (int part = 0; part < 3; ++part) shared.length[part][thread] = length[part + 1];
      shared.conflicts[thread] = found;
    });
    gpu::sum_of_block(block, shared.conflicts);
    block.each([&](int thread) {
      if (thread == 0 && shared.conflicts[0] > 0.0) gpu::add_at_once(conflicts, 0, shared.conflicts[0]);
      constexpr int chunks_here = threads / static_cast<int>(chunk_rows);
      if (thread >= 3 * chunks_here) return;
      const int part = thread / chunks_here;
      const int own = thread % chunks_here;
      const std::int64_t chunks = places / chunk_rows;
      const std::int64_t chunk = begin / chunk_rows + own;
      if (chunk >= chunks) return;
      std::int32_t longest = 0;
      for (int i = 0; i < chunk_rows; ++i) {
        const std::int32_t one = shared.length[part][own * static_cast<int>(chunk_rows) + i];
        longest = one > longest ? one : longest;
      }
      lengths[part * chunks + chunk] = longest;
    });
  }
};

// A part of the matrix while it is filled.
struct SellFill {
  gpu::Elements<const std::int64_t> start;
  gpu::Elements<std::int32_t> column;
  gpu::Elements<double> value;

  BANZUKE_GPU void put(std::int64_t place, int k, std::int64_t at, double entry) const {
    const std::int64_t to = start[place / chunk_rows] + place % chunk_rows + k * chunk_rows;
    column[to] = static_cast<std::int32_t>(at);
    value[to] = entry;
  }
  // What a row lacks is 0 times its own value.
  BANZUKE_GPU void pad(std::int64_t place, int k) const {
    const std::int64_t chunk = place / chunk_rows;
    for (; k < (start[chunk + 1] - start[chunk]) / chunk_rows; ++k) put(place, k, place, 0.0);
  }
};

struct Fill {
  PlainView plain;
  Shares shares;
  gpu::Elements<const std::int32_t> place_of;
  gpu::Elements<const std::int32_t> row_of;
  SellFill lower;
  SellFill middle;
  SellFill tail;
  gpu::Elements<double> diagonal;

  BANZUKE_GPU void operator()(std::int64_t place) const {
    int lowers = 0;
    int middles = 0;
    int tails = 0;
    double own = 1.0;
    const std::int64_t row = row_of[place];
    for (int k = 0; k < width && row >= 0; ++k) {
      const std::int32_t column = plain.column[k * plain.rows + row];
      if (column < 0) break;
      const double value = plain.value[k * plain.rows + row];
      const std::int64_t at = place_of[column];
      const Share share = shares.of(place, at);
      if (share == Share::diagonal) own = value;
      if (share == Share::lower) lower.put(place, lowers++, at, value);
      if (share == Share::middle) middle.put(place, middles++, at, value);
      if (share == Share::tail) tail.put(place, tails++, at, value);
    }
    diagonal[place] = own;
    lower.pad(place, lowers);
    middle.pad(place, middles);
    tail.pad(place, tails);
  }
};

// By coarse row: the row of the finer grid at the same place.
struct SetFineRows {
  BoxView fine;
  BoxView coarse;
  gpu::Elements<std::int32_t> rows;

  BANZUKE_GPU void operator()(std::int64_t row) const {
    const std::int64_t x = row % coarse.x;
    const std::int64_t y = row / coarse.x % coarse.y;
    const std::int64_t z = row / coarse.x / coarse.y;
    rows[row] = static_cast<std::int32_t>(2 * x + fine.x * (2 * y + fine.y * 2 * z));
  }
};

// By place of the last colour, from its first: that of the same point on the coarse grid. Counts points of other
// colours, of which there must be none.
struct SetCoarsePlaces {
  gpu::Elements<const std::int32_t> fine_row;
  gpu::Elements<const std::int32_t> fine_place_of;
  gpu::Elements<const std::int32_t> coarse_place_of;
  std::int64_t last;
  gpu::Elements<std::int32_t> coarse_place;
  gpu::Elements<double> conflicts;

  BANZUKE_GPU void operator()(std::int64_t row) const {
    const std::int64_t place = fine_place_of[fine_row[row]];
    if (place >= last) {
      coarse_place[place - last] = coarse_place_of[row];
    } else {
      gpu::add_at_once(conflicts, 0, 1.0);
    }
  }
};

// to[place] = from[row], and where there is no row `other`.
struct ToPlaces {
  gpu::Elements<const std::int32_t> row_of;
  double other;
  gpu::Elements<const double> from;
  gpu::Elements<double> to;

  BANZUKE_GPU void operator()(std::int64_t place) const {
    const std::int32_t row = row_of[place];
    to[place] = row < 0 ? other : from[row];
  }
};

struct ToRows {
  gpu::Elements<const std::int32_t> place_of;
  gpu::Elements<const double> from;
  gpu::Elements<double> to;

  BANZUKE_GPU void operator()(std::int64_t row) const { to[row] = from[place_of[row]]; }
};

// r - A x or A x of one row, less its own entry where `diagonal` is to have that.
BANZUKE_GPU inline double plain_sum(const PlainView& a, std::int64_t row, const gpu::Elements<double>& x,
                                    double* diagonal) {
  constexpr int in_flight = 9;
  double sum = 0.0;
  for (int first = 0; first < width; first += in_flight) {
    std::int32_t columns[in_flight];
    double values[in_flight];
    BANZUKE_UNROLL
    for (int k = 0; k < in_flight; ++k) {
      columns[k] = a.column[(first + k) * a.rows + row];
      values[k] = a.value[(first + k) * a.rows + row];
    }
    BANZUKE_UNROLL
    for (int k = 0; k < in_flight; ++k) {
      if (diagonal != nullptr && columns[k] == row) {
        *diagonal = values[k];
      } else if (columns[k] >= 0) {
        sum += values[k] * x[columns[k]];
      }
    }
  }
  return sum;
}

// Gauss-Seidel on rows that do not depend on each other.
struct PlainRelax {
  PlainView a;
  gpu::Elements<const std::int32_t> rows;
  gpu::Elements<const double> r;
  gpu::Elements<double> x;

  BANZUKE_GPU void operator()(std::int64_t i) const {
    const std::int64_t row = rows[i];
    double diagonal = 1.0;
    const double sum = plain_sum(a, row, x, &diagonal);
    x[row] = (r[row] - sum) / diagonal;
  }
};

// How far a row is from the first in the chain of those that Gauss-Seidel must take before it; counts entries that
// contradict.
struct CheckLevels {
  BoxView box;
  PlainView a;
  gpu::Elements<double> conflicts;

  BANZUKE_GPU std::int64_t level(std::int64_t row) const {
    return row % box.x + 2 * (row / box.x % box.y) + 4 * (row / box.x / box.y);
  }
  BANZUKE_GPU void operator()(std::int64_t row) const {
    for (int k = 0; k < width; ++k) {
      const std::int64_t column = a.column[k * a.rows + row];
      if (column < 0 || column == row) continue;
      if ((column < row) != (level(column) < level(row)) || level(column) == level(row)) {
        gpu::add_at_once(conflicts, 0, 1.0);
      }
    }
  }
};

struct PlainProduct {
  PlainView a;
  gpu::Elements<double> x;
  gpu::Elements<double> y;

  BANZUKE_GPU void operator()(std::int64_t row) const { y[row] = plain_sum(a, row, x, nullptr); }
};

struct PlainRestrict {
  PlainView a;
  gpu::Elements<const std::int32_t> fine_row;
  gpu::Elements<const double> r;
  gpu::Elements<double> x;
  gpu::Elements<double> right;

  BANZUKE_GPU void operator()(std::int64_t coarse) const {
    const std::int64_t row = fine_row[coarse];
    right[coarse] = r[row] - plain_sum(a, row, x, nullptr);
  }
};

struct PlainCorrect {
  gpu::Elements<const std::int32_t> fine_row;
  gpu::Elements<const double> answer;
  gpu::Elements<double> x;

  BANZUKE_GPU void operator()(std::int64_t coarse) const { x[fine_row[coarse]] += answer[coarse]; }
};

}  // namespace banzuke::hpcg
