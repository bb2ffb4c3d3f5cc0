// STREAM's loops, one element at a time, as device functors.
#pragma once

#include "core/gpu/kernel.hpp"
#include "loops.hpp"

namespace banzuke::stream {

struct Copy {
  gpu::Elements<const double> a;
  gpu::Elements<double> c;

  BANZUKE_GPU double value(std::int64_t i) const { return a[i]; }
  BANZUKE_GPU void put(std::int64_t i, double value) const { c[i] = value; }
};

// Also used for the calibration, with both arrays `a`.
struct Scale {
  double factor;
  gpu::Elements<const double> c;
  gpu::Elements<double> b;

  BANZUKE_GPU double value(std::int64_t i) const { return factor * c[i]; }
  BANZUKE_GPU void put(std::int64_t i, double value) const { b[i] = value; }
};

struct Add {
  static constexpr int loads = 2;

  gpu::Elements<const double> a, b;
  gpu::Elements<double> c;

  BANZUKE_GPU double value(std::int64_t i) const { return a[i] + b[i]; }
  BANZUKE_GPU void put(std::int64_t i, double value) const { c[i] = value; }
};

struct Triad {
  static constexpr int loads = 2;

  gpu::Elements<const double> b, c;
  gpu::Elements<double> a;

  BANZUKE_GPU double value(std::int64_t i) const { return b[i] + scalar * c[i]; }
  BANZUKE_GPU void put(std::int64_t i, double value) const { a[i] = value; }
};

struct Fill {
  double with;
  gpu::Elements<double> array;

  BANZUKE_GPU double value(std::int64_t) const { return with; }
  BANZUKE_GPU void put(std::int64_t i, double value) const { array[i] = value; }
};

// Writes a block's part of the dot product of a and b to sums[block].
struct Dot {
  static constexpr int threads = 256;
  static constexpr int in_flight = 4;  // products per thread whose loads are in flight together
  struct Shared {
    double parts[threads];
  };

  std::int64_t n;
  gpu::Elements<const double> a, b;
  gpu::Elements<double> sums;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    const std::int64_t stride = block.blocks() * threads;
    block.each([&](int thread) {
      double sums_of[in_flight] = {};
      std::int64_t i = block.index() * threads + thread;
      for (; i + (in_flight - 1) * stride < n; i += in_flight * stride) {
        BANZUKE_UNROLL
        for (int k = 0; k < in_flight; ++k) sums_of[k] += a[i + k * stride] * b[i + k * stride];
      }
      for (; i < n; i += stride) sums_of[0] += a[i] * b[i];
      shared.parts[thread] = (sums_of[0] + sums_of[1]) + (sums_of[2] + sums_of[3]);
    });
    gpu::sum_of_block(block, shared.parts);
    block.each([&](int thread) {
      if (thread == 0) sums[block.index()] = shared.parts[0];
    });
  }
};

}  // namespace banzuke::stream
