// Products on a device: warps for each chunk of SELL, and groups of threads for parts of rows in CSR.
#pragma once

#include "core/gpu/groups.hpp"
#include "gpu_parts.hpp"

namespace banzuke::spmv {

// The entries of a matrix and the vector that they multiply. `Once`: loads of entries bypass the caches, to leave them
// to the vectors.
template <bool Once>
struct Entries {
  gpu::Elements<const std::int32_t> column;
  gpu::Elements<const double> value;
  gpu::Elements<const double> x;

  // The sum of the products of `entries` entries, `Stride` apart; the number may differ between threads.
  template <int Stride>
  BANZUKE_GPU double sum(std::int64_t first, int entries) const {
    constexpr int most = 4;
    constexpr int left = most - 1;
    double sum = 0.0;
    int k = 0;
    for (; k + most <= entries; k += most) sum += batch<Stride, most>(first + std::int64_t{k} * Stride);
    std::int32_t columns[left] = {};
    double values[left] = {};
    double factors[left] = {};
    BANZUKE_UNROLL
    for (int i = 0; i < left; ++i) {
      if (k + i < entries) load<Stride>(first, k + i, columns[i], values[i]);
    }
    BANZUKE_UNROLL
    for (int i = 0; i < left; ++i) {
      if (k + i < entries) factors[i] = x[columns[i]];
    }
    BANZUKE_UNROLL
    for (int i = 0; i < left; ++i) sum += values[i] * factors[i];
    return sum;
  }

  // The same if all threads of a warp have the same number of entries: no load is conditional, so that the compiler can
  // issue those of many entries together.
  template <int Stride, Loads How>
  BANZUKE_GPU double sum_alike(std::int64_t first, int entries) const {
    constexpr int most = entries_at_once(How);
    double sum = 0.0;
    int done = 0;
    if constexpr (How == Loads::ahead) {
      done = entries / most * most;
      sum = sum_ahead<Stride, most>(first, done);
    } else {
      for (; done + most <= entries; done += most) sum += batch<Stride, most>(first + std::int64_t{done} * Stride);
    }
    return sum + rest<Stride, most - 1>(first + std::int64_t{done} * Stride, entries - done);
  }

 private:
  template <int Stride>
  BANZUKE_GPU void load(std::int64_t first, int k, std::int32_t& to_column, double& to_value) const {
    const std::int64_t at = first + std::int64_t{k} * Stride;
    to_column = Once ? gpu::load_once(column, at) : column[at];
    to_value = Once ? gpu::load_once(value, at) : value[at];
  }
  template <int Stride, int Number>
  BANZUKE_GPU double batch(std::int64_t first) const {
    std::int32_t columns[Number];
    double values[Number];
    double factors[Number];
    BANZUKE_UNROLL
    for (int i = 0; i < Number; ++i) load<Stride>(first, i, columns[i], values[i]);
    BANZUKE_UNROLL
    for (int i = 0; i < Number; ++i) factors[i] = x[columns[i]];
    double sum = 0.0;
    BANZUKE_UNROLL
    for (int i = 0; i < Number; ++i) sum += values[i] * factors[i];
    return sum;
  }
  // The sum over `entries` entries, at most `Most`.
  template <int Stride, int Most>
  BANZUKE_GPU double rest(std::int64_t first, int entries) const {
    if constexpr (Most == 0) {
      return 0.0;
    } else {
      return entries == Most ? batch<Stride, Most>(first) : rest<Stride, Most - 1>(first, entries);
    }
  }
  // The sum over a multiple of `Number` entries: each batch is loaded while the previous one is multiplied.
  template <int Stride, int Number>
  BANZUKE_GPU double sum_ahead(std::int64_t first, int entries) const {
    double sum = 0.0;
    if (entries == 0) return sum;
    std::int32_t columns[Number];
    double values[Number];
    BANZUKE_UNROLL
    for (int i = 0; i < Number; ++i) load<Stride>(first, i, columns[i], values[i]);
    for (int k = Number; k < entries; k += Number) {
      std::int32_t next_columns[Number];
      double next_values[Number];
      double factors[Number];
      BANZUKE_UNROLL
      for (int i = 0; i < Number; ++i) factors[i] = x[columns[i]];
      BANZUKE_UNROLL
      for (int i = 0; i < Number; ++i) load<Stride>(first, k + i, next_columns[i], next_values[i]);
      BANZUKE_UNROLL
      for (int i = 0; i < Number; ++i) {
        sum += values[i] * factors[i];
        columns[i] = next_columns[i];
        values[i] = next_values[i];
      }
    }
    BANZUKE_UNROLL
    for (int i = 0; i < Number; ++i) sum += values[i] * x[columns[i]];
    return sum;
  }
};

// Sums parts of rows, one group of threads for each, `Threads` per block. `Cut`: rows are named and may have several
// parts; else part i is row i.
template <int Group, int Threads, bool Cut, bool Once>
struct Parts {
  static constexpr int groups = Threads / Group;
  struct Shared {
    std::int32_t ended[Cut ? groups : 1];  // the cut row whose last part a group had; -1: none
  };

  std::int64_t parts;
  gpu::Elements<const std::int64_t> start;
  gpu::Elements<const std::int32_t> row;  // negative: ~ the number of a cut row
  gpu::Elements<const CutRow> cut;
  gpu::Elements<std::int32_t> arrived;  // parts of each cut row; all 0 between products
  gpu::Elements<double> partial;        // sums of the parts
  Entries<Once> entries;
  gpu::Elements<double> y;

  // Sums the parts from number `first` on, one per group.
  BANZUKE_GPU void run(const gpu::Block<Threads>& block, std::int64_t first, Shared& shared) const {
    gpu::Private<double, Threads> sum;
    gpu::each_alone(block, [&](int thread) {
      const std::int64_t part = first + thread / Group;
      sum[thread] = 0.0;
      if (part >= parts) return;
      const std::int64_t begin = start[part];
      const int after = static_cast<int>(start[part + 1] - begin) - thread % Group;
      sum[thread] = entries.template sum<Group>(begin + thread % Group, after > 0 ? (after + Group - 1) / Group : 0);
    });
    gpu::sum_of_groups<Group>(block, sum);
    if constexpr (Cut) {
      put_cut(block, first, sum, shared);
    } else {
      gpu::each_alone(block, [&](int thread) {
        const std::int64_t part = first + thread / Group;
        if (thread % Group == 0 && part < parts) y[part] = sum[thread];
      });
    }
  }

 private:
  // The last group to finish a part of a row adds up all parts, always in the same order.
  BANZUKE_GPU void put_cut(const gpu::Block<Threads>& block, std::int64_t first, gpu::Private<double, Threads>& sum,
                           Shared& shared) const {
    block.each([&](int thread) {
      if (thread % Group != 0) return;
      const int group = thread / Group;
      shared.ended[group] = -1;
      if (first + group >= parts) return;
      const std::int32_t own = row[first + group];
      if (own >= 0) {
        y[own] = sum[thread];
        return;
      }
      partial[first + group] = sum[thread];
      if (gpu::arrive(arrived, ~own) == cut[~own].parts - 1) shared.ended[group] = ~own;
    });
    gpu::each_alone(block, [&](int thread) {
      sum[thread] = 0.0;
      const std::int32_t ended = shared.ended[thread / Group];
      if (ended < 0) return;
      const std::int64_t begin = cut[ended].first;
      const std::int64_t end = begin + cut[ended].parts;
      for (std::int64_t part = begin + thread % Group; part < end; part += Group) {
        sum[thread] += gpu::load_fresh(partial, part);
      }
    });
    gpu::sum_of_groups<Group>(block, sum);
    gpu::each_alone(block, [&](int thread) {
      const std::int32_t ended = shared.ended[thread / Group];
      if (thread % Group != 0 || ended < 0) return;
      y[cut[ended].row] = sum[thread];
      arrived[ended] = 0;
    });
  }
};

// CSR: a group of threads for each row, or part of a long one.
template <int Group, bool Cut, bool Once>
struct CsrProduct {
  static constexpr int threads = 128;
  static constexpr int resident = 1536;
  using Rows = Parts<Group, threads, Cut, Once>;
  using Shared = typename Rows::Shared;

  Rows rows;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    rows.run(block, block.index() * Rows::groups, shared);
  }
};

// SELL: `Slices` warps for each chunk, which take its entries in turn. `Apart`: the first blocks take the separated
// rows, one warp for each row or part of it.
template <int Slices, bool Apart, Loads How, bool Once>
struct SellProduct {
  static constexpr int chunk = 32;
  static constexpr int threads = Slices > 4 ? Slices * chunk : 4 * chunk;
  static constexpr int resident = resident_threads(How);
  static constexpr int chunks_here = threads / (Slices * chunk);
  using Rows = Parts<chunk, threads, Apart, Once>;
  struct Shared {
    double sums[Slices > 1 ? threads : 1];
    typename Rows::Shared apart;
  };

  std::int64_t chunks;
  std::int64_t rows;
  std::int64_t sigma;
  std::int64_t apart_blocks;
  gpu::Elements<const std::int64_t> start;
  gpu::Elements<const std::uint16_t> row;  // within its window; not read if rows are neither sorted nor separated
  Entries<Once> entries;
  gpu::Elements<double> y;
  Rows apart;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    if constexpr (Apart) {
      if (block.index() < apart_blocks) {
        apart.run(block, block.index() * Rows::groups, shared.apart);
        return;
      }
    }
    const std::int64_t first = (block.index() - apart_blocks) * chunks_here;
    gpu::Private<std::int64_t, threads> own;  // row; -1: none
    block.each([&](int thread) {
      const std::int64_t of = first + thread / (Slices * chunk);
      const int lane = thread % chunk;
      const int slice = thread / chunk % Slices;
      own[thread] = -1;
      if (of >= chunks) return;
      const std::int64_t at = of * chunk + lane;
      if (slice == 0) own[thread] = row_at(at);
      const std::int64_t begin = start[of];
      const int after = static_cast<int>((start[of + 1] - begin) / chunk) - slice;
      const double sum = entries.template sum_alike<Slices * chunk, How>(begin + slice * chunk + lane,
                                                                         after > 0 ? (after + Slices - 1) / Slices : 0);
      if constexpr (Slices > 1) {
        shared.sums[thread] = sum;
      } else {
        if (own[thread] >= 0) y[own[thread]] = sum;
      }
    });
    if constexpr (Slices > 1) {
      gpu::each_alone(block, [&](int thread) {
        if (own[thread] < 0) return;
        double sum = shared.sums[thread];
        BANZUKE_UNROLL
        for (int slice = 1; slice < Slices; ++slice) sum += shared.sums[thread + slice * chunk];
        y[own[thread]] = sum;
      });
    }
  }

 private:
  BANZUKE_GPU std::int64_t row_at(std::int64_t at) const {
    if (at >= rows) return -1;
    if (!Apart && sigma == 1) return at;
    const std::uint16_t within = row[at];
    return within == no_row ? -1 : (at & -sigma) + within;
  }
};

}  // namespace banzuke::spmv
