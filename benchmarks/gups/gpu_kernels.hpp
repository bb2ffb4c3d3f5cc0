// Updates of a table in device memory, and its tally.
#pragma once

#include "core/gpu/kernel.hpp"
#include "sequence.hpp"

namespace banzuke::gups {

using Words = gpu::Elements<std::uint64_t>;

// Atomic table[i] ^= a, without returning the old value.
BANZUKE_GPU inline void xor_at_once(const Words& table, std::int64_t i, std::uint64_t a) {
#if BANZUKE_ON_GPU
  atomicXor(reinterpret_cast<unsigned long long*>(&table[i]), static_cast<unsigned long long>(a));
#else
  table[i] ^= a;
#endif
}

// How a thread changes words.
enum class Change {
  atomic,
  plain,  // all loads before the first store: concurrent updates get lost
};

// The part of the sequence that follows a(first), in blocks of Threads threads with `stretch` updates each. A thread
// starts with the product of two numbers: its block's, of_block[b] = a(first + b Threads stretch), and its position's,
// of_thread[t] = a(t stretch). InFlight updates of a thread are in flight together.
template <int Threads, int InFlight, Change How>
struct Update {
  static constexpr int threads = Threads;
  struct Shared {};

  std::int64_t updates, stretch, mask;
  gpu::Elements<const std::uint64_t> of_block, of_thread;
  Words table;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& /*shared*/) const {
    block.each([&](int thread) {
      const std::int64_t before = (block.index() * threads + thread) * stretch;
      const std::int64_t left = updates - before;
      const std::int64_t count = left < stretch ? left : stretch;
      std::uint64_t a = multiply(of_block[block.index()], of_thread[thread]);
      std::int64_t i = 0;
      for (; i + InFlight <= count; i += InFlight) {
        std::uint64_t numbers[InFlight];
        BANZUKE_UNROLL
        for (int k = 0; k < InFlight; ++k) {
          a = next(a);
          numbers[k] = a;
        }
        change(numbers);
      }
      for (; i < count; ++i) {
        a = next(a);
        const std::uint64_t last[1] = {a};
        change(last);
      }
    });
  }

  template <int Number>
  BANZUKE_GPU void change(const std::uint64_t (&numbers)[Number]) const {
    if constexpr (How == Change::atomic) {
      BANZUKE_UNROLL
      for (int k = 0; k < Number; ++k) xor_at_once(table, place(numbers[k]), numbers[k]);
    } else {
      std::uint64_t words[Number];
      BANZUKE_UNROLL
      for (int k = 0; k < Number; ++k) words[k] = table[place(numbers[k])];
      BANZUKE_UNROLL
      for (int k = 0; k < Number; ++k) table[place(numbers[k])] = words[k] ^ numbers[k];
    }
  }
  BANZUKE_GPU std::int64_t place(std::uint64_t a) const {
    return static_cast<std::int64_t>(a & static_cast<std::uint64_t>(mask));
  }
};

// T[i] = i
struct Fill {
  Words table;

  BANZUKE_GPU std::uint64_t value(std::int64_t i) const { return static_cast<std::uint64_t>(i); }
  BANZUKE_GPU void put(std::int64_t i, std::uint64_t value) const { table[i] = value; }
};

// Repeats the first updates of the sequence in a different way than Update: the threads take runs of it cyclically.
// a(0) of a thread's first run is a product as for Update, with a stretch of one run; `jump` is a(number) for the
// updates from the end of a run to the thread's next.
struct Replay {
  static constexpr int threads = 256;
  static constexpr std::int64_t run = 64;
  struct Shared {};

  std::int64_t updates, mask;
  std::uint64_t jump;
  gpu::Elements<const std::uint64_t> of_block, of_thread;
  Words table;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& /*shared*/) const {
    block.each([&](int thread) {
      std::uint64_t a = multiply(of_block[block.index()], of_thread[thread]);
      const std::int64_t step = block.blocks() * threads * run;
      for (std::int64_t first = (block.index() * threads + thread) * run; first < updates; first += step) {
        const std::int64_t last = first + run < updates ? first + run : updates;
        for (std::int64_t i = first; i < last; ++i) {
          a = next(a);
          xor_at_once(table, static_cast<std::int64_t>(a & static_cast<std::uint64_t>(mask)), a);
        }
        a = multiply(a, jump);
      }
    });
  }
};

// A block's part of a Tally.
struct Count {
  static constexpr int threads = 256;
  struct Shared {
    std::uint64_t checksums[threads];
    std::int64_t right[threads];
  };

  std::int64_t n;
  gpu::Elements<const std::uint64_t> table;
  Words checksums;
  gpu::Elements<std::int64_t> right;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    block.each([&](int thread) {
      std::uint64_t all = 0;
      std::int64_t same = 0;
      for (std::int64_t i = block.index() * threads + thread; i < n; i += block.blocks() * threads) {
        const std::uint64_t word = table[i];
        all ^= word;
        const auto index = static_cast<std::uint64_t>(i);
        same += word == index ? 1 : 0;
      }
      shared.checksums[thread] = all;
      shared.right[thread] = same;
    });
    gpu::sum_of_block(block, shared.right);
    block.each([&](int thread) {
      if (thread > 0) return;
      std::uint64_t all = 0;
      for (const std::uint64_t checksum : shared.checksums) all ^= checksum;
      checksums[block.index()] = all;
      right[block.index()] = shared.right[0];
    });
  }
};

}  // namespace banzuke::gups
