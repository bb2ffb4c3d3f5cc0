// Products on a device: a thread for each row of SELL, and equal tiles of the merge path.
#pragma once

#include "core/gpu/kernel.hpp"

namespace banzuke::spmv {

struct SellProduct {
  static constexpr int threads = 128;
  static constexpr std::int64_t chunk = 32;
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
      if (at >= places || row[at] < 0) return;
      const std::int64_t end = start[at / chunk + 1];
      double sum = 0.0;
      BANZUKE_UNROLL_BY(4)
      for (std::int64_t k = start[at / chunk] + at % chunk; k < end; k += chunk) sum += value[k] * x[column[k]];
      y[row[at]] = sum;
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
  static constexpr int steps = 8;  // of the path, for each thread
  static constexpr int tile = threads * steps;
  struct Shared {
    double products[tile];
    std::int32_t ends[tile];  // of rows, counted from the tile's first entry
    double open[threads];     // what each thread has of the row that it does not end; then that of all before it, too
    bool ended[threads];      // whether it, or one of those, has ended a row
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
      BANZUKE_UNROLL_BY(4)
      for (int k = thread; k < entries_here; k += threads) {
        shared.products[k] = value[first_entry + k] * x[column[first_entry + k]];
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
      shared.open[thread] = sum;
      shared.ended[thread] = first_ended[thread] >= 0;
    });

    // What is open after each thread: sums from the last row that was ended on.
    gpu::Private<double, threads> open;
    gpu::Private<bool, threads> ended;
    for (int distance = 1; distance < threads; distance *= 2) {
      block.each([&](int thread) {
        const bool alone = thread < distance || shared.ended[thread];
        open[thread] = shared.open[thread] + (alone ? 0.0 : shared.open[thread - distance]);
        ended[thread] = shared.ended[thread] || (thread >= distance && shared.ended[thread - distance]);
      });
      block.each([&](int thread) {
        shared.open[thread] = open[thread];
        shared.ended[thread] = ended[thread];
      });
    }

    block.each([&](int thread) {
      if (const int row = first_ended[thread]; row >= 0) {
        const double sum = its_part[thread] + (thread > 0 ? shared.open[thread - 1] : 0.0);
        if (row == 0 && start[first_row] < first_entry) {
          gpu::add_at_once(y, first_row, sum);  // other tiles have parts of it
        } else {
          y[first_row + row] = sum;
        }
      }
      const std::int64_t last_row = first_row + rows_here;
      if (thread == threads - 1 && last_row < rows && start[last_row] < first_entry + entries_here) {
        gpu::add_at_once(y, last_row, shared.open[thread]);
      }
    });
  }
};

}  // namespace banzuke::spmv
