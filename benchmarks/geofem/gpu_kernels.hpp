// The solver's device kernels: sweeps over a stage's rows and products with the blocks of rows.
#pragma once

#include "core/gpu/groups.hpp"
#include "gpu_views.hpp"

namespace banzuke::geofem {

inline constexpr int sweep_threads = 128;

// How a chunk's rows are summed: `Slices` warps take its blocks in turn; a thread loads `Batch` blocks together with
// the columns of the next ones, so that vector loads need not wait for them. At least `Resident` threads fit a
// multiprocessor.
template <int Slices, int Batch, int Resident>
struct How {
  static constexpr int slices = Slices;
  static constexpr int batch = Batch;
  static constexpr int resident = Resident;
  static constexpr int chunks_here = sweep_threads / apart / Slices;  // of a thread block
};

// Kernels for enough rows to saturate the memory, for half as many, and for few.
using ManyRows = How<1, 1, 1024>;
using SomeRows = How<2, 1, 1024>;
using FewRows = How<4, 2, 768>;

struct Three {
  double x;
  double y;
  double z;
};

template <int Apart, class X>
BANZUKE_GPU Three three_at(const gpu::Elements<X>& vector, std::int64_t place) {
  return {vector[place], vector[place + Apart], vector[place + 2 * Apart]};
}

template <int Apart>
BANZUKE_GPU void put_three(const gpu::Elements<double>& vector, std::int64_t place, const Three& value) {
  vector[place] = value.x;
  vector[place + Apart] = value.y;
  vector[place + 2 * Apart] = value.z;
}

BANZUKE_GPU inline double dot(const Three& a, const Three& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// sum += block x
BANZUKE_GPU inline void add_product(Three& sum, const double* block, const Three& x) {
  sum.x += block[0] * x.x + block[1] * x.y + block[2] * x.z;
  sum.y += block[3] * x.x + block[4] * x.y + block[5] * x.z;
  sum.z += block[6] * x.x + block[7] * x.y + block[8] * x.z;
}

// The blocks of the thread's row in a chunk.
template <class Way, int Apart, class X>
struct RowSum {
  static constexpr int batch = Way::batch;
  static constexpr int step = Way::slices;

  const BlocksView& a;
  int lane;
  std::int32_t end;
  const gpu::Elements<X>& x;

  BANZUKE_GPU std::int32_t column_at(std::int32_t slot) const {
    return gpu::load_once(a.column, slot * chunk_rows + lane);
  }

  // sum += the products of `Number` slots from `slot` on, which have these columns.
  template <int Number>
  BANZUKE_GPU void add(Three& sum, std::int32_t slot, const std::int32_t* columns, std::int32_t* next) const {
    double values[9 * Number];
    Three factors[Number];
    BANZUKE_UNROLL
    for (int i = 0; i < Number; ++i) {
      factors[i] = three_at<Apart>(x, columns[i]);
      BANZUKE_UNROLL
      for (int v = 0; v < 9; ++v) {
        values[9 * i + v] = gpu::load_once(a.value, (std::int64_t{9} * (slot + i * step) + v) * chunk_rows + lane);
      }
    }
    if constexpr (Number == batch) load_columns(slot + batch * step, next);
    BANZUKE_UNROLL
    for (int i = 0; i < Number; ++i) add_product(sum, values + 9 * i, factors[i]);
  }

  // Loads the columns of the next existing slots.
  BANZUKE_GPU void load_columns(std::int32_t slot, std::int32_t* columns) const {
    BANZUKE_UNROLL
    for (int i = 0; i < batch; ++i) {
      if (slot + i * step < end) columns[i] = column_at(slot + i * step);
    }
  }

  BANZUKE_GPU Three sum(std::int32_t slot) const {
    static_assert(batch <= 2);
    Three sum{0.0, 0.0, 0.0};
    std::int32_t columns[batch] = {};
    load_columns(slot, columns);
    while (slot + (batch - 1) * step < end) {
      std::int32_t next[batch] = {};
      add<batch>(sum, slot, columns, next);
      BANZUKE_UNROLL
      for (int i = 0; i < batch; ++i) columns[i] = next[i];
      slot += batch * step;
    }
    if constexpr (batch > 1) {
      if (slot < end) add<1>(sum, slot, columns, nullptr);
    }
    return sum;
  }
};

// The sum over a slice's blocks of this lane's row.
template <class Way, int Apart, class X>
BANZUKE_GPU Three sum_of_blocks(const BlocksView& a, std::int64_t chunk, int lane, int slice,
                                const gpu::Elements<X>& x) {
  return RowSum<Way, Apart, X>{a, lane, a.start[chunk + 1], x}.sum(a.start[chunk] + slice);
}

// x := D^-1 x
BANZUKE_GPU inline void solve(const gpu::Elements<const double>& factor, std::int64_t chunk, int lane, Three& x) {
  double f[9];
  BANZUKE_UNROLL
  for (int v = 0; v < 9; ++v) f[v] = gpu::load_once(factor, (chunk * 9 + v) * chunk_rows + lane);
  x.y -= f[3] * x.x;
  x.z = (x.z - f[6] * x.x - f[7] * x.y) * f[8];
  x.y = (x.y - f[5] * x.z) * f[4];
  x.x = (x.x - f[1] * x.y - f[2] * x.z) * f[0];
}

BANZUKE_GPU inline std::int64_t place_in(std::int64_t chunk, int lane) { return chunk * (3 * chunk_rows) + lane; }

// Common to sweeps: blocks of the neighbours on one side, and the diagonal's factors.
struct Sweep {
  BlocksView blocks;
  gpu::Elements<const double> factor;
  gpu::Elements<const double> r;
  gpu::Elements<double> z;

  template <class Way>
  BANZUKE_GPU Three sum(std::int64_t chunk, int lane, int slice) const {
    return sum_of_blocks<Way, apart>(blocks, chunk, lane, slice, z);
  }
};

// The forward sweep, with the blocks of L: z = D^-1 (r - L z).
struct Forward : Sweep {
  static constexpr bool summed = false;

  BANZUKE_GPU double finish(std::int64_t chunk, int lane, const Three& sum) const {
    const std::int64_t place = place_in(chunk, lane);
    const Three right = three_at<apart>(r, place);
    Three left{right.x - sum.x, right.y - sum.y, right.z - sum.z};
    solve(factor, chunk, lane, left);
    put_three<apart>(z, place, left);
    return 0.0;
  }
};

// The backward sweep, with the blocks of U: z -= D^-1 U z; yields r.z.
struct Backward : Sweep {
  static constexpr bool summed = true;

  BANZUKE_GPU double finish(std::int64_t chunk, int lane, const Three& sum) const {
    const std::int64_t place = place_in(chunk, lane);
    Three left = three_at<apart>(z, place);
    if (blocks.start[chunk] < blocks.start[chunk + 1]) {
      Three change = sum;
      solve(factor, chunk, lane, change);
      left = {left.x - change.x, left.y - change.y, left.z - change.z};
      put_three<apart>(z, place, left);
    }
    return dot(three_at<apart>(r, place), left);
  }
};

// y = A x without contributions from other ranks; yields x.y.
struct Product {
  static constexpr bool summed = true;
  RowsView rows;
  gpu::Elements<const double> x;
  gpu::Elements<double> y;

  template <class Way>
  BANZUKE_GPU Three sum(std::int64_t chunk, int lane, int slice) const {
    const Three earlier = sum_of_blocks<Way, apart>(rows.lower, chunk, lane, slice, x);
    const Three later = sum_of_blocks<Way, apart>(rows.upper, chunk, lane, slice, x);
    return {earlier.x + later.x, earlier.y + later.y, earlier.z + later.z};
  }
  BANZUKE_GPU double finish(std::int64_t chunk, int lane, const Three& sum) const {
    const std::int64_t place = place_in(chunk, lane);
    double block[9];
    BANZUKE_UNROLL
    for (int v = 0; v < 9; ++v) block[v] = gpu::load_once(rows.diagonal, (chunk * 9 + v) * chunk_rows + lane);
    const Three own = three_at<apart>(x, place);
    Three all = sum;
    add_product(all, block, own);
    put_three<apart>(y, place, all);
    return dot(own, all);
  }
};

// y += contributions from other ranks; yields x.(what was added).
struct Outside {
  static constexpr bool summed = true;
  OuterView outer;
  gpu::Elements<const double> x;
  gpu::Elements<double> y;

  template <class Way>
  BANZUKE_GPU Three sum(std::int64_t chunk, int lane, int slice) const {
    return sum_of_blocks<Way, 1>(outer.blocks, chunk, lane, slice, x);
  }
  BANZUKE_GPU double finish(std::int64_t chunk, int lane, const Three& sum) const {
    const std::int64_t place = outer.place[chunk * chunk_rows + lane];
    if (place < 0) return 0.0;
    const Three before = three_at<apart>(y, place);
    put_three<apart>(y, place, {before.x + sum.x, before.y + sum.y, before.z + sum.z});
    return dot(three_at<apart>(x, place), sum);
  }
};

// Applies a step to all rows of chunks, and sums what it yields for each thread block.
template <class Step, class Way>
struct OverChunks {
  static constexpr int threads = sweep_threads;
  static constexpr int resident = Way::resident;
  static constexpr int slices = Way::slices;
  static constexpr int warps = threads / apart;
  struct Shared {
    Three rows[slices > 1 ? threads : 1];
    double sums[warps];
  };

  Chunks chunks;
  Step step;
  gpu::Elements<double> sums;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    const std::int64_t begin = chunks.begin_of(block.index(), Way::chunks_here);
    const std::int64_t end = chunks.end_of(block.index());
    gpu::Private<double, threads> part;
    if constexpr (slices == 1) {
      gpu::each_alone(block, [&](int thread) {
        const std::int64_t chunk = begin + thread / apart;
        const int lane = thread % apart;
        part[thread] = 0.0;
        if (chunk < end) part[thread] = step.finish(chunk, lane, step.template sum<Way>(chunk, lane, 0));
      });
    } else {
      block.each([&](int thread) {
        const int warp = thread / apart;
        const std::int64_t chunk = begin + warp / slices;
        if (chunk < end) shared.rows[thread] = step.template sum<Way>(chunk, thread % apart, warp % slices);
      });
      gpu::each_alone(block, [&](int thread) {
        const int warp = thread / apart;
        const std::int64_t chunk = begin + warp / slices;
        part[thread] = 0.0;
        if (chunk >= end || warp % slices != 0) return;
        Three sum = shared.rows[thread];
        BANZUKE_UNROLL
        for (int slice = 1; slice < slices; ++slice) {
          const Three& other = shared.rows[thread + slice * apart];
          sum = {sum.x + other.x, sum.y + other.y, sum.z + other.z};
        }
        part[thread] = step.finish(chunk, thread % apart, sum);
      });
    }
    if constexpr (Step::summed) {
      gpu::sum_of_groups<apart>(block, part);
      block.each([&](int thread) {
        if (thread % apart == 0) shared.sums[thread / apart] = part[thread];
      });
      gpu::each_alone(block, [&](int thread) {
        if (thread > 0) return;
        double sum = 0.0;
        BANZUKE_UNROLL
        for (int warp = 0; warp < warps; ++warp) sum += shared.sums[warp];
        sums[block.index()] = sum;
      });
    }
  }
};

// rest = r - rest
struct Remainder {
  gpu::Elements<const double> r;
  gpu::Elements<double> rest;

  BANZUKE_GPU double value(std::int64_t i) const { return r[i] - rest[i]; }
  BANZUKE_GPU void put(std::int64_t i, double value) const { rest[i] = value; }
};

// z += more; yields r.z.
struct CorrectedValue {
  gpu::Elements<const double> r;
  gpu::Elements<const double> more;
  gpu::Elements<double> z;

  BANZUKE_GPU double operator()(std::int64_t i) const {
    const double next = z[i] + more[i];
    z[i] = next;
    return r[i] * next;
  }
};

}  // namespace banzuke::geofem
