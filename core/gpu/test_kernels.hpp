// Functors for the tests of launches.
#pragma once

#include "core/gpu/groups.hpp"
#include "core/gpu/kernel.hpp"

namespace banzuke::gpu::testing {

// Stores twice each element's index and counts how often it was written.
struct Count {
  Elements<std::int64_t> twice;
  Elements<int> written;

  BANZUKE_GPU std::int64_t value(std::int64_t i) const { return 2 * i; }
  BANZUKE_GPU void put(std::int64_t i, std::int64_t value) const {
    twice[i] = value;
    written[i] += 1;
  }
};

// Reverses each block's elements and adds the number of the thread that read each. Goes through shared memory, so that
// a phase that begins before the previous one ends is detected.
struct Reverse {
  static constexpr int threads = 128;
  struct Shared {
    int elements[threads];
  };

  Elements<const int> from;
  Elements<int> to;

  BANZUKE_GPU void operator()(const Block<threads>& block, Shared& shared) const {
    Private<int, threads> own;
    const std::int64_t first = block.index() * threads;
    block.each([&](int thread) {
      shared.elements[thread] = from[first + thread];
      own[thread] = thread;
    });
    block.each([&](int thread) { own[thread] += shared.elements[threads - 1 - thread]; });
    block.each([&](int thread) { to[first + thread] = own[thread]; });
  }
};

// For each block: the sum of its thread numbers times the number of blocks, plus the block's own number.
template <int Threads>
struct Sum {
  static constexpr int threads = Threads;
  struct Shared {
    std::int64_t parts[Threads];
  };

  Elements<std::int64_t> sums;

  BANZUKE_GPU void operator()(const Block<Threads>& block, Shared& shared) const {
    block.each([&](int thread) { shared.parts[thread] = thread * block.blocks(); });
    sum_of_block(block, shared.parts);
    block.each([&](int thread) {
      if (thread == 0) sums[block.index()] = shared.parts[0] + block.index();
    });
  }
};

// Sums over groups of threads; the last group to arrive adds up all groups' sums and resets the count to 0.
template <int Group>
struct GroupSums {
  static constexpr int threads = 128;
  static constexpr int resident = 1024;
  static constexpr int groups = threads / Group;
  struct Shared {
    bool last[groups];
  };

  Elements<const double> from;
  Elements<double> sums;
  Elements<std::int32_t> arrived;
  Elements<double> total;

  BANZUKE_GPU void operator()(const Block<threads>& block, Shared& shared) const {
    Private<double, threads> own;
    const std::int64_t all = block.blocks() * groups;
    each_alone(block, [&](int thread) { own[thread] = load_once(from, block.index() * threads + thread); });
    sum_of_groups<Group>(block, own);
    block.each([&](int thread) {
      if (thread % Group != 0) return;
      const int group = thread / Group;
      sums[block.index() * groups + group] = own[thread];
      shared.last[group] = arrive(arrived, 0) == all - 1;
    });
    each_alone(block, [&](int thread) {
      if (thread % Group != 0 || !shared.last[thread / Group]) return;
      double sum = 0.0;
      for (std::int64_t i = 0; i < all; ++i) sum += load_fresh(sums, i);
      total[0] = sum;
      arrived[0] = 0;
    });
  }
};

}  // namespace banzuke::gpu::testing
