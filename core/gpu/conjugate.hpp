// The vectors and scalars of conjugate gradients on a device; the scalars stay there. Included by functors and
// launches, and, for `Scalar`, `Sum` and sum_blocks(), by the host code that queues them.
#pragma once

#include "core/gpu/kernel.hpp"

namespace banzuke::gpu {

// Elements that a block sums.
inline constexpr int summed_elements = 2048;
// The number of blocks that sum `elements` elements.
constexpr std::int64_t sum_blocks(std::int64_t elements) { return (elements + summed_elements - 1) / summed_elements; }

// Indices of the scalars.
struct Scalar {
  static constexpr int rz = 0;
  static constexpr int alpha = 1;
  static constexpr int beta = 2;
  static constexpr int rr = 3;
  static constexpr int part = 4;  // this rank's part of a sum over all ranks
  static constexpr int count = 5;
};
enum class Sum : std::uint8_t { first_rz, rz, pap, rr, part };

// Sums one value for each element of a vector, block by block: Value computes it, and may also write.
template <class Value>
struct Summed {
  static constexpr int threads = 256;
  static constexpr int elements = summed_elements / threads;  // of a thread
  struct Shared {
    double parts[threads];
  };

  std::int64_t n;
  Value value;
  Elements<double> sums;

  BANZUKE_GPU void operator()(const Block<threads>& block, Shared& shared) const {
    block.each([&](int thread) {
      const std::int64_t begin = block.index() * summed_elements + thread;
      double sum = 0.0;
      BANZUKE_UNROLL
      for (int k = 0; k < elements; ++k) {
        const std::int64_t i = begin + k * threads;
        if (i < n) sum += value(i);
      }
      shared.parts[thread] = sum;
    });
    sum_of_block(block, shared.parts);
    block.each([&](int thread) {
      if (thread == 0) sums[block.index()] = shared.parts[0];
    });
  }
};

// x += alpha p; r -= alpha A p; and the new r squared.
struct StepValue {
  Elements<const double> scalars;
  Elements<const double> p;
  Elements<const double> ap;
  Elements<double> x;
  Elements<double> r;

  BANZUKE_GPU double operator()(std::int64_t i) const {
    const double alpha = scalars[Scalar::alpha];
    const double next = r[i] - alpha * ap[i];
    x[i] += alpha * p[i];
    r[i] = next;
    return next * next;
  }
};

// Adds the blocks' sums in a fixed order, and computes from them what CG needs.
struct Finish {
  static constexpr int threads = 1024;
  struct Shared {
    double parts[threads];
  };

  Sum kind;
  std::int64_t blocks;
  Elements<const double> sums;
  Elements<double> scalars;

  BANZUKE_GPU void operator()(const Block<threads>& block, Shared& shared) const {
    block.each([&](int thread) {
      double sum = 0.0;
      for (std::int64_t i = thread; i < blocks; i += threads) sum += sums[i];
      shared.parts[thread] = sum;
    });
    sum_of_block(block, shared.parts);
    block.each([&](int thread) {
      if (thread != 0) return;
      const double total = shared.parts[0];
      if (kind == Sum::part) scalars[Scalar::part] = total;
      if (kind == Sum::rr) scalars[Scalar::rr] = total;
      if (kind == Sum::pap) scalars[Scalar::alpha] = scalars[Scalar::rz] / total;
      if (kind == Sum::first_rz || kind == Sum::rz) {
        scalars[Scalar::beta] = kind == Sum::rz ? total / scalars[Scalar::rz] : 0.0;
        scalars[Scalar::rz] = total;
      }
    });
  }
};

// p = z + beta p.
struct Direction {
  Elements<const double> scalars;
  Elements<const double> z;
  Elements<double> p;

  BANZUKE_GPU double value(std::int64_t i) const { return z[i] + scalars[Scalar::beta] * p[i]; }
  BANZUKE_GPU void put(std::int64_t i, double value) const { p[i] = value; }
};

// Packs what the neighbours need, one neighbour after another.
struct Pack {
  Elements<const std::int32_t> list;
  Elements<const double> x;
  Elements<double> out;

  BANZUKE_GPU void operator()(std::int64_t i) const { out[i] = x[list[i]]; }
};

}  // namespace banzuke::gpu
