// Device kernels on the matrix, besides products. Rows are `ld` apart.
#pragma once

#include "core/gpu/kernel.hpp"
#include "cyclic.hpp"
#include "generator.hpp"

namespace banzuke::hpl {

inline constexpr int strip = 256;  // columns or rows per thread block

// Local index -> global index of rows, whose blocks are taken in turn; like Cyclic, which devices cannot call.
struct Deal {
  std::int64_t block;
  std::int64_t ranks;
  std::int64_t rank;

  Deal(const Cyclic& of) : block(of.block), ranks(of.ranks), rank(of.rank) {}  // NOLINT(google-explicit-constructor)
  BANZUKE_GPU std::int64_t global(std::int64_t local) const {
    return (local / block * ranks + rank) * block + local % block;
  }
};

// The same of columns, by a list of the first index of each local block.
struct DealtColumns {
  std::int64_t block;
  gpu::Elements<const std::int64_t> firsts;

  BANZUKE_GPU std::int64_t global(std::int64_t local) const { return firsts[local / block] + local % block; }
};

// Each thread has a column and goes down a block of rows, with one generator step per row.
struct Generate {
  static constexpr int threads = strip;
  struct Shared {};

  std::int64_t n;
  Deal rows;
  DealtColumns columns;
  std::int64_t local_rows;
  std::int64_t begin, end;  // local columns
  std::int64_t ld;
  std::int64_t strips;           // of columns
  std::int64_t height;           // of a block of rows
  gpu::Elements<double> matrix;  // from column `begin` on

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    block.each([&](int thread) {
      const std::int64_t column = block.index() % strips * threads + thread;
      const std::int64_t first = block.index() / strips * height;
      const std::int64_t last = first + height < local_rows ? first + height : local_rows;
      if (column >= ld) return;
      const bool real = begin + column < end;
      std::uint64_t x = real ? state(n, rows.global(first), columns.global(begin + column)) : 0;
      for (std::int64_t row = first; row < last; ++row) {
        matrix[row * ld + column] = real ? value_of(x) : 0.0;
        x = 6364136223846793005U * x + 1U;
      }
    });
  }
};

// Through shared memory, so that reads and writes are coalesced into whole lines.
struct Transpose {
  static constexpr int threads = 256;
  static constexpr int tile = 32;
  struct Shared {
    double values[tile][tile + 1];
  };

  gpu::Elements<const double> from;
  std::int64_t from_ld, rows, columns;
  std::int64_t tiles;  // side by side
  gpu::Elements<double> to;
  std::int64_t to_ld;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    const std::int64_t row = block.index() / tiles * tile;
    const std::int64_t column = block.index() % tiles * tile;
    block.each([&](int thread) {
      const int j = thread % tile;
      for (int i = thread / tile; i < tile; i += threads / tile) {
        if (row + i < rows && column + j < columns) shared.values[i][j] = from[(row + i) * from_ld + column + j];
      }
    });
    block.each([&](int thread) {
      const int i = thread % tile;
      for (int j = thread / tile; j < tile; j += threads / tile) {
        if (row + i < rows && column + j < columns) to[(column + j) * to_ld + row + i] = shared.values[i][j];
      }
    });
  }
};

struct CopyRows {
  static constexpr int threads = strip;
  static constexpr int in_flight = 4;  // elements per thread, all loaded before the first is stored
  struct Shared {};

  gpu::Elements<const double> from;
  std::int64_t from_ld;
  gpu::Elements<double> to;
  std::int64_t to_ld;
  gpu::Elements<const std::int64_t> source, target;
  std::int64_t columns;
  std::int64_t strips;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    const std::int64_t i = block.index() / strips;
    const std::int64_t first = block.index() % strips * (threads * in_flight);
    block.each([&](int thread) {
      const std::int64_t in = source[i] * from_ld;
      const std::int64_t out = target[i] * to_ld;
      double values[in_flight] = {};
      BANZUKE_UNROLL
      for (int k = 0; k < in_flight; ++k) {
        const std::int64_t column = first + k * threads + thread;
        if (column < columns) values[k] = from[in + column];
      }
      BANZUKE_UNROLL
      for (int k = 0; k < in_flight; ++k) {
        const std::int64_t column = first + k * threads + thread;
        if (column < columns) to[out + column] = values[k];
      }
    });
  }
};

struct CopyColumns {
  static constexpr int threads = strip;
  static constexpr int in_flight = 4;
  struct Shared {};

  gpu::Elements<const double> from;
  std::int64_t from_ld;
  gpu::Elements<double> to;
  std::int64_t to_ld;
  std::int64_t rows;
  std::int64_t strips;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    const std::int64_t column = block.index() / strips;
    const std::int64_t first = block.index() % strips * (threads * in_flight);
    block.each([&](int thread) {
      double values[in_flight] = {};
      BANZUKE_UNROLL
      for (int k = 0; k < in_flight; ++k) {
        const std::int64_t row = first + k * threads + thread;
        if (row < rows) values[k] = from[column * from_ld + row];
      }
      BANZUKE_UNROLL
      for (int k = 0; k < in_flight; ++k) {
        const std::int64_t row = first + k * threads + thread;
        if (row < rows) to[column * to_ld + row] = values[k];
      }
    });
  }
};

// One thread block for each column outside [begin, end): interchanges its rows [begin, end) with others.
struct Interchange {
  static constexpr int threads = 256;
  static constexpr int most = 1024;  // rows
  struct Shared {
    double chosen[most];
    double displaced[most];
  };

  gpu::Elements<double> columns;
  std::int64_t ld;
  std::int64_t begin, end;
  gpu::Elements<const std::int64_t> sources;
  gpu::Elements<const std::int64_t> row, to;
  std::int64_t count;  // of displaced rows

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    const std::int64_t number = block.index() < begin ? block.index() : block.index() + (end - begin);
    const std::int64_t start = number * ld;
    block.each([&](int thread) {
      for (std::int64_t i = thread; i < end - begin; i += threads) shared.chosen[i] = columns[start + sources[i]];
      for (std::int64_t i = thread; i < count; i += threads) shared.displaced[i] = columns[start + row[i]];
    });
    block.each([&](int thread) {
      for (std::int64_t i = thread; i < end - begin; i += threads) columns[start + begin + i] = shared.chosen[i];
      for (std::int64_t i = thread; i < count; i += threads) columns[start + to[i]] = shared.displaced[i];
    });
  }
};

struct OpenBlock {
  gpu::Elements<const double> l1;
  std::int64_t width;
  gpu::Elements<double> diagonal;
  std::int64_t ld;
  bool here;  // whether `diagonal` is given
  gpu::Elements<double> unit;

  BANZUKE_GPU double value(std::int64_t i) const { return l1[i]; }
  BANZUKE_GPU void put(std::int64_t i, double value) const {
    const std::int64_t row = i / width;
    const std::int64_t column = i % width;
    unit[i] = row == column ? 1.0 : 0.0;
    if (here && column >= row) diagonal[row * ld + column] = value;
  }
};

struct CopyBlock {
  gpu::Elements<const double> from;
  std::int64_t ld, width;
  gpu::Elements<double> to;

  BANZUKE_GPU double value(std::int64_t i) const { return from[i / width * ld + i % width]; }
  BANZUKE_GPU void put(std::int64_t i, double value) const { to[i] = value; }
};

// One thread block for each row.
struct SubtractProducts {
  static constexpr int threads = 256;
  struct Shared {
    double parts[threads];
  };

  gpu::Elements<const double> from;
  std::int64_t ld, columns;
  gpu::Elements<const double> x;
  gpu::Elements<const double> side;
  bool here;  // whether `side` is given
  gpu::Elements<double> sides;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    const std::int64_t row = block.index();
    block.each([&](int thread) {
      double sum = 0.0;
      for (std::int64_t j = thread; j < columns; j += threads) sum += from[row * ld + j] * x[j];
      shared.parts[thread] = sum;
    });
    gpu::sum_of_block(block, shared.parts);
    block.each([&](int thread) {
      if (thread == 0) sides[row] = (here ? side[row * ld] : 0.0) - shared.parts[0];
    });
  }
};

// Each thread has a row and goes along a block of columns.
struct RowSums {
  static constexpr int threads = strip;
  struct Shared {};

  std::int64_t n;
  Deal rows;
  DealtColumns columns;
  std::int64_t local_rows, own_columns;
  std::int64_t strips;  // of rows
  std::int64_t width;   // of a block of columns
  Jump column_step;
  gpu::Elements<const double> x;
  gpu::Elements<double> sums;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    block.each([&](int thread) {
      const std::int64_t row = block.index() % strips * threads + thread;
      const std::int64_t first = block.index() / strips * width;
      const std::int64_t last = first + width < own_columns ? first + width : own_columns;
      if (row >= local_rows) return;
      std::uint64_t at = state(n, rows.global(row), columns.global(first));
      double product = 0.0;
      double magnitude = 0.0;
      for (std::int64_t column = first; column < last; ++column) {
        const double value = value_of(at);
        product += value * x[column];
        magnitude += value < 0.0 ? -value : value;
        at = column_step.factor * at + column_step.term;
      }
      gpu::add_at_once(sums, row, product);
      gpu::add_at_once(sums, local_rows + row, magnitude);
    });
  }
};

}  // namespace banzuke::hpl
