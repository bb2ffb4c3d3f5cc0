// Pointer chases by one thread of a device, and loads by all of them.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include "core/gpu/kernel.hpp"
#include "core/random.hpp"
#include "gpu_launches.hpp"

namespace banzuke::memory {

// Lines of the chase in device memory.
struct Lines {
  std::int64_t number = 0;
  gpu::Elements<std::byte> data;

  BANZUKE_GPU DeviceLink* at(std::int64_t line) const {
    return reinterpret_cast<DeviceLink*>(&data[line * device_line]);
  }
};

// Writes line i, whose successor and place in the cycle are given.
struct Join {
  Lines lines;
  gpu::Elements<const std::int64_t> next, place;

  BANZUKE_GPU void operator()(std::int64_t i) const { *lines.at(i) = {.next = lines.at(next[i]), .place = place[i]}; }
};

// Counts the lines that lead to a line with the next place, in each block. If all do and the first line has place 0,
// the places are those of one cycle through all lines.
struct CountJoined {
  static constexpr int threads = 256;
  struct Shared {
    std::int64_t right[threads];
  };

  Lines lines;
  gpu::Elements<std::int64_t> right;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    block.each([&](int thread) {
      std::int64_t count = 0;
      for (std::int64_t i = block.index() * threads + thread; i < lines.number; i += block.blocks() * threads) {
        count += is_right(i) ? 1 : 0;
      }
      shared.right[thread] = count;
    });
    gpu::sum_of_block(block, shared.right);
    block.each([&](int thread) {
      if (thread == 0) right[block.index()] = shared.right[0];
    });
  }

 private:
  BANZUKE_GPU bool is_right(std::int64_t i) const {
    const DeviceLink link = *lines.at(i);
    const auto offset = reinterpret_cast<std::intptr_t>(link.next) - reinterpret_cast<std::intptr_t>(lines.at(0));
    if (offset < 0 || offset % device_line != 0 || offset / device_line >= lines.number) return false;
    if (link.place < 0 || link.place >= lines.number || (i == 0 && link.place != 0)) return false;
    return link.next->place == (link.place + 1 == lines.number ? 0 : link.place + 1);
  }
};

// Makes `loads` loads by one thread, each from the address that the previous one returned.
struct Chase {
  static constexpr int threads = 1;
  struct Shared {};

  std::int64_t loads;
  gpu::Elements<DeviceLink> at;  // `next` is the line where the chase is, `place` its place

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& /*shared*/) const {
    block.each([&](int) {
      constexpr std::int64_t unrolled = 16;
      const DeviceLink* link = at[0].next;
      std::int64_t left = loads;
      for (; left >= unrolled; left -= unrolled) {
        BANZUKE_UNROLL
        for (int k = 0; k < unrolled; ++k) link = link->next;
      }
      for (; left > 0; --left) link = link->next;
      at[0] = {.next = link, .place = link->place};
    });
  }
};

// a[i] of the array that is read.
BANZUKE_GPU constexpr std::uint64_t word(std::int64_t i) { return mix((static_cast<std::uint64_t>(i) + 1) * mix_step); }

struct FillWords {
  gpu::Elements<std::uint64_t> words;

  BANZUKE_GPU std::uint64_t value(std::int64_t i) const { return word(i); }
  BANZUKE_GPU void put(std::int64_t i, std::uint64_t value) const { words[i] = value; }
};

// Aligned, so that one instruction loads both.
struct alignas(16) TwoWords {
  std::uint64_t first;
  std::uint64_t second;
};

// Sums all words in each of `passes` passes. In each pass the parts move on by a random number of blocks, so that none
// is still in the cache of a multiprocessor. If they moved on by one, a block that catches up with the next one would
// stay beside it and find what that one has just read: 14 TB/s of 64 MiB on an H200, whose L2 cache has 60 MiB.
struct Load {
  static constexpr int threads = 1024;
  static constexpr int in_flight = 4;
  struct Shared {
    std::uint64_t sums[threads];
  };

  std::int64_t pairs;
  std::int64_t passes;
  gpu::Elements<const TwoWords> words;
  gpu::Elements<std::uint64_t> sums;  // of each block

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    block.each([&](int thread) {
      std::uint64_t sum = 0;
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        const std::int64_t part = (block.index() + moved(pass, block.blocks())) % block.blocks();
        sum += of_part(pairs * part / block.blocks() + thread, pairs * (part + 1) / block.blocks());
      }
      shared.sums[thread] = sum;
    });
    gpu::sum_of_block(block, shared.sums);
    block.each([&](int thread) {
      if (thread == 0) sums[block.index()] = shared.sums[0];
    });
  }

 private:
  BANZUKE_GPU static std::int64_t moved(std::int64_t pass, std::int64_t blocks) {
    return static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(pass) * mix_step) %
                                     static_cast<std::uint64_t>(blocks));
  }
  BANZUKE_GPU std::uint64_t of_part(std::int64_t i, std::int64_t end) const {
    std::uint64_t sum = 0;
    for (; i + (in_flight - 1) * threads < end; i += in_flight * threads) {
      TwoWords found[in_flight];
      BANZUKE_UNROLL
      for (int k = 0; k < in_flight; ++k) found[k] = words[i + k * threads];
      BANZUKE_UNROLL
      for (const TwoWords& pair : found) sum += pair.first + pair.second;
    }
    for (; i < end; i += threads) sum += words[i].first + words[i].second;
    return sum;
  }
};

}  // namespace banzuke::memory
// NOLINTEND(modernize-avoid-c-arrays)
