// Products on a device: a thread for each row of SELL, and equal tiles of the merge path.
#pragma once

#include "core/gpu/kernel.hpp"

namespace banzuke::spmv {

struct SellProduct {
  static constexpr int threads = 128;
  static constexpr std::int64_t chunk = 32;
  static constexpr int in_flight = 4;  // entries of a row, whose loads go out together
  struct Shared {};

  std::int64_t places;  // rows and what fills the last chunk
  gpu::Elements<const std::int64_t> start;
  gpu::Elements<const std::int32_t> row;
  gpu::Elements<const std::int32_t> column;
  gpu::Elements<const double> value;
  gpu::Elements<const double> x;
  gpu::Elements<double> y;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    block.each([&](int thread) {
      const std::int64_t at = block.index() * threads + thread;
      if (at >= places) return;
      const std::int32_t own = row[at];
      const std::int64_t begin = start[at / chunk];
      const auto entries = static_cast<int>((start[at / chunk + 1] - begin) / chunk);
      const std::int64_t first = begin + at % chunk;
      double sum = 0.0;
      for (int k = 0; k < entries; k += in_flight) {
        std::int32_t columns[in_flight] = {};
        double values[in_flight] = {};
        double factors[in_flight] = {};
        BANZUKE_UNROLL
        for (int i = 0; i < in_flight; ++i) {
          if (k + i >= entries) continue;
          columns[i] = column[first + (k + i) * chunk];
          values[i] = value[first + (k + i) * chunk];
        }
        BANZUKE_UNROLL
        for (int i = 0; i < in_flight; ++i) {
          if (k + i < entries) factors[i] = x[columns[i]];
        }
        BANZUKE_UNROLL
        for (int i = 0; i < in_flight; ++i) sum += values[i] * factors[i];
      }
      if (own >= 0) y[own] = sum;
    });
  }
};

// Makes y of the rows 0 in which tiles begin: their parts are added up.
struct MergeBegin {
  std::int64_t rows;
  gpu::Elements<const std::int32_t> tile_row;
  gpu::Elements<double> y;

  BANZUKE_GPU double value(std::int64_t) const { return 0.0; }
  BANZUKE_GPU void put(std::int64_t tile, double zero) const {
    if (tile_row[tile] < rows) y[tile_row[tile]] = zero;
  }
};

struct MergeProduct {
  static constexpr int threads = 128;
  // Of the path, for each thread. Threads read products so far apart: an even number would bring them to the same
  // banks of shared memory.
  static constexpr int steps = 7;
  static constexpr int tile = threads * steps;
  struct Shared {
    double products[tile];
    std::int32_t ends[tile];  // of rows, counted from the tile's first entry
    // What each thread has of the row that it does not end, then that of all before it, too; and whether it, or one of
    // those, has ended a row. Each step of the sum reads one and writes the other.
    double open[2][threads];
    bool ended[2][threads];
  };

  std::int64_t rows;
  std::int64_t nonzeros;
  gpu::Elements<const std::int32_t> tile_row;
  gpu::Elements<const std::int64_t> start;
  gpu::Elements<const std::int32_t> column;
  gpu::Elements<const double> value;
  gpu::Elements<const double> x;
  gpu::Elements<double> y;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    const std::int64_t path = rows + nonzeros;
    const std::int64_t begin = block.index() * tile;
    const std::int64_t end = begin + tile < path ? begin + tile : path;
    const std::int64_t first_row = tile_row[block.index()];
    const std::int64_t first_entry = begin - first_row;
    const auto rows_here = static_cast<int>(tile_row[block.index() + 1] - first_row);
    const int entries_here = static_cast<int>(end - begin) - rows_here;

    block.each([&](int thread) {
      // A thread's loads go out together, then those of x, which need the columns.
      std::int32_t columns[steps] = {};
      double products[steps] = {};
      BANZUKE_UNROLL
      for (int i = 0; i < steps; ++i) {
        const int k = thread + i * threads;
        if (k >= entries_here) continue;
        columns[i] = column[first_entry + k];
        products[i] = value[first_entry + k];
      }
      BANZUKE_UNROLL
      for (int i = 0; i < steps; ++i) {
        if (thread + i * threads < entries_here) products[i] *= x[columns[i]];
      }
      BANZUKE_UNROLL
      for (int i = 0; i < steps; ++i) {
        if (thread + i * threads < entries_here) shared.products[thread + i * threads] = products[i];
      }
      for (int r = thread; r < rows_here; r += threads) {
        shared.ends[r] = static_cast<std::int32_t>(start[first_row + r + 1] - first_entry);
      }
    });

    gpu::Private<int, threads> first_ended;  // row that was begun before this thread; -1: it ends none
    gpu::Private<double, threads> its_part;
    block.each([&](int thread) {
      const int all = rows_here + entries_here;
      const int from = thread * steps < all ? thread * steps : all;
      const int to = from + steps < all ? from + steps : all;
      int low = 0;
      int high = rows_here;
      while (low < high) {  // row r ends at step ends[r] + r of the tile
        const int middle = (low + high) / 2;
        if (shared.ends[middle] + middle < from) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      int row = low;
      int entry = from - row;
      double sum = 0.0;
      first_ended[thread] = -1;
      for (int step = from; step < to; ++step) {
        if (row < rows_here && shared.ends[row] <= entry) {
          if (first_ended[thread] < 0) {
            first_ended[thread] = row;
            its_part[thread] = sum;
          } else {
            y[first_row + row] = sum;
          }
          sum = 0.0;
          ++row;
        } else {
          sum += shared.products[entry++];
        }
      }
      shared.open[0][thread] = sum;
      shared.ended[0][thread] = first_ended[thread] >= 0;
    });

    // What is open after each thread: sums from the last row that was ended on.
    int now = 0;
    for (int distance = 1; distance < threads; distance *= 2) {
      const int next = 1 - now;
      block.each([&](int thread) {
        const bool ended = shared.ended[now][thread];
        const bool others = thread >= distance;
        const double before = others && !ended ? shared.open[now][thread - distance] : 0.0;
        shared.open[next][thread] = shared.open[now][thread] + before;
        shared.ended[next][thread] = ended || (others && shared.ended[now][thread - distance]);
      });
      now = next;
    }

    block.each([&](int thread) {
      if (const int row = first_ended[thread]; row >= 0) {
        const double sum = its_part[thread] + (thread > 0 ? shared.open[now][thread - 1] : 0.0);
        if (row == 0 && start[first_row] < first_entry) {
          gpu::add_at_once(y, first_row, sum);  // other tiles have parts of it
        } else {
          y[first_row + row] = sum;
        }
      }
      const std::int64_t last_row = first_row + rows_here;
      if (thread == threads - 1 && last_row < rows && start[last_row] < first_entry + entries_here) {
        gpu::add_at_once(y, last_row, shared.open[now][thread]);
      }
    });
  }
};

}  // namespace banzuke::spmv
