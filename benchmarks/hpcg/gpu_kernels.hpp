// The solver's device kernels: sweeps over a colour's rows, products, and CG's vector updates with sums.
#pragma once

#include "core/gpu/kernel.hpp"
#include "gpu_views.hpp"

namespace banzuke::hpcg {

inline constexpr int sweep_threads = 128;

// Entries of a row that are loaded together: few if there are enough rows to saturate the memory, else as many as most
// rows have, because the device is latency-bound.
enum class Batch : std::uint8_t { small = 4, large = 16 };

// Sum over the entries of the row at `place` of value times x, in matrix parts [`part`, `end_part`).
template <int part, int end_part, Batch batch, class X>
BANZUKE_GPU double row_sum(const LevelView& level, std::int64_t place, const gpu::Elements<X>& x) {
  constexpr int in_flight = static_cast<int>(batch);
  const SellView& a = level.matrix;
  const std::int64_t lane = place % chunk_rows;
  const std::int64_t chunk = place / chunk_rows;
  const std::int64_t end = a.start[matrix_parts * chunk + end_part];
  std::int64_t slot = a.start[matrix_parts * chunk + part];
  double sum = 0.0;
  for (; slot + in_flight <= end; slot += in_flight) {
    std::int32_t columns[in_flight];
    double values[in_flight];
    BANZUKE_UNROLL
    for (int i = 0; i < in_flight; ++i) {
      columns[i] = a.base[slot + i] + gpu::load_once(a.offset, (slot + i) * chunk_rows + lane);
      values[i] = gpu::load_once(a.value, (slot + i) * chunk_rows + lane);
    }
    BANZUKE_UNROLL
    for (int i = 0; i < in_flight; ++i) sum += values[i] * x[columns[i]];
  }
  if (slot == end) return sum;
  std::int32_t columns[in_flight] = {};
  double values[in_flight] = {};
  BANZUKE_UNROLL
  for (int i = 0; i + 1 < in_flight; ++i) {
    if (slot + i >= end) continue;
    columns[i] = a.base[slot + i] + gpu::load_once(a.offset, (slot + i) * chunk_rows + lane);
    values[i] = gpu::load_once(a.value, (slot + i) * chunk_rows + lane);
  }
  BANZUKE_UNROLL
  for (int i = 0; i + 1 < in_flight; ++i) {
    if (slot + i < end) sum += values[i] * x[columns[i]];
  }
  return sum;
}

BANZUKE_GPU inline double outside_of(const LevelView& level, std::int64_t place) {
  return level.edges ? level.outside[place] : 0.0;
}

// Common to the sweeps: the places of one colour, one thread for each.
template <class Row>
struct OverPlaces {
  static constexpr int threads = sweep_threads;
  struct Shared {};

  std::int64_t from;
  std::int64_t to;
  Row row;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    block.each([&](int thread) {
      const std::int64_t place = from + block.index() * threads + thread;
      if (place < to) row(place);
    });
  }
};

// x = (r - L x) / d: the forward sweep from x = 0.
template <Batch batch>
struct ForwardFromZero {
  LevelView level;
  gpu::Elements<const double> r;
  gpu::Elements<double> x;

  BANZUKE_GPU void operator()(std::int64_t place) const {
    x[place] = (r[place] - row_sum<lower_part, middle_part, batch>(level, place, x)) / level.diagonal[place];
  }
};

// middle = M x; x = x - (middle + T x) / d: the backward sweep after it, in which r - L x is d times the x of the
// forward sweep.
template <Batch batch>
struct BackwardFromZero {
  LevelView level;
  gpu::Elements<double> x;

  BANZUKE_GPU void operator()(std::int64_t place) const {
    const double middle = row_sum<middle_part, tail_part, batch>(level, place, x);
    level.later[place] = middle;
    x[place] -= (middle + row_sum<tail_part, matrix_parts, batch>(level, place, x)) / level.diagonal[place];
  }
};

// right = r - A x at the coarse points, which have the last colour, so that no entries belong to a later one.
struct Restrict {
  LevelView level;
  gpu::Elements<const std::int32_t> coarse_place;  // by place from the last colour's first
  std::int64_t first;
  gpu::Elements<const double> r;
  gpu::Elements<const double> x;
  gpu::Elements<double> right;

  BANZUKE_GPU void operator()(std::int64_t place) const {
    const std::int32_t coarse = coarse_place[place - first];
    if (coarse < 0) return;
    right[coarse] = r[place] - level.diagonal[place] * x[place] -
                    row_sum<lower_part, middle_part, Batch::small>(level, place, x) - outside_of(level, place);
  }
};

// x += the coarse grid's correction.
struct Correct {
  gpu::Elements<const std::int32_t> coarse_place;
  std::int64_t first;
  gpu::Elements<const double> answer;
  gpu::Elements<double> x;

  BANZUKE_GPU void operator()(std::int64_t place) const {
    const std::int32_t coarse = coarse_place[place - first];
    if (coarse >= 0) x[place] += answer[coarse];
  }
};

// known = r - L x - outside; x = (known - M x - T x) / d: a forward sweep, in which M x is unchanged since the backward
// sweep, because only the last colour has been corrected.
template <Batch batch>
struct Forward {
  LevelView level;
  gpu::Elements<const double> r;
  gpu::Elements<double> x;

  BANZUKE_GPU void operator()(std::int64_t place) const {
    const double known = r[place] - row_sum<lower_part, middle_part, batch>(level, place, x) - outside_of(level, place);
    level.known[place] = known;
    x[place] =
        (known - level.later[place] - row_sum<tail_part, matrix_parts, batch>(level, place, x)) / level.diagonal[place];
  }
};

// x = (known - M x - T x) / d: the backward sweep after it, in which L x is unchanged.
template <Batch batch>
struct Backward {
  LevelView level;
  gpu::Elements<double> x;

  BANZUKE_GPU void operator()(std::int64_t place) const {
    const double later = row_sum<middle_part, matrix_parts, batch>(level, place, x);
    x[place] = (level.known[place] - later) / level.diagonal[place];
  }
};

// y = A x, and the sum of x y for each block. Blocks take the colours in turn, so that all colours use the values of x
// around a part of the grid at the same time.
struct Product {
  static constexpr int threads = sweep_threads;
  struct Shared {
    double parts[threads];
  };

  LevelView level;
  gpu::Elements<const std::int64_t> first;  // first place of each colour, and the end
  std::int64_t colours;
  gpu::Elements<const double> x;
  gpu::Elements<double> y;
  gpu::Elements<double> sums;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    block.each([&](int thread) {
      const std::int64_t colour = block.index() % colours;
      const std::int64_t place = first[colour] + block.index() / colours * threads + thread;
      shared.parts[thread] = 0.0;
      if (place >= first[colour + 1]) return;
      const double own = x[place];
      const double sum = level.diagonal[place] * own + row_sum<lower_part, matrix_parts, Batch::small>(level, place, x);
      y[place] = sum;
      shared.parts[thread] = own * sum;
    });
    gpu::sum_of_block(block, shared.parts);
    block.each([&](int thread) {
      if (thread == 0) sums[block.index()] = shared.parts[0];
    });
  }
};

// Contributions of external rows to edge rows.
struct EdgeView {
  std::int64_t edges;
  gpu::Elements<const std::int32_t> place;
  gpu::Elements<const std::int32_t> column;
  gpu::Elements<const double> value;

  BANZUKE_GPU double sum(std::int64_t edge, const gpu::Elements<const double>& x) const {
    double sum = 0.0;
    for (int k = 0; k < width; ++k) {
      const std::int32_t at = column[k * edges + edge];
      if (at < 0) break;
      sum += value[k * edges + edge] * x[at];
    }
    return sum;
  }
};

struct EdgeSums {
  EdgeView edges;
  gpu::Elements<const double> x;
  gpu::Elements<double> outside;

  BANZUKE_GPU void operator()(std::int64_t edge) const { outside[edges.place[edge]] = edges.sum(edge, x); }
};

// y += the edge's sum; yields x times that.
struct EdgeValue {
  EdgeView edges;
  gpu::Elements<const double> x;
  gpu::Elements<double> y;

  BANZUKE_GPU double operator()(std::int64_t edge) const {
    const double sum = edges.sum(edge, x);
    const std::int32_t place = edges.place[edge];
    y[place] += sum;
    return x[place] * sum;
  }
};

using gpu::Direction;
using gpu::Finish;
using gpu::Pack;
using gpu::StepValue;
using gpu::Summed;

struct DotValue {
  gpu::Elements<const double> x;
  gpu::Elements<const double> y;

  BANZUKE_GPU double operator()(std::int64_t i) const { return x[i] * y[i]; }
};

// to = b - from.
struct Difference {
  gpu::Elements<const double> b;
  gpu::Elements<const double> from;
  gpu::Elements<double> to;

  BANZUKE_GPU double value(std::int64_t i) const { return b[i] - from[i]; }
  BANZUKE_GPU void put(std::int64_t i, double value) const { to[i] = value; }
};

}  // namespace banzuke::hpcg
