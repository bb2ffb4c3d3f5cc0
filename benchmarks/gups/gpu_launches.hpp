#pragma once

#include <cstdint>

#include "core/gpu/runtime.hpp"

namespace banzuke::gups {

struct DeviceTable {
  std::int64_t n;
  gpu::DevicePointer<std::uint64_t> words;
};

// Starting points of a launch's threads: the numbers of its blocks and of the positions in a block.
struct Starts {
  std::int64_t stretch = 0;  // updates per thread
  std::int64_t blocks = 0;
  gpu::DevicePointer<const std::uint64_t> of_block, of_thread;
};

// A way to launch updates. The benchmark uses the first.
struct UpdateWay {
  const char* name;
  int threads;  // per block
  void (*launch)(const DeviceTable& table, std::int64_t updates, const Starts& starts, const gpu::Stream& stream);
  bool exact = true;
};
inline constexpr int update_ways = 10;
const UpdateWay& update_way(int number);

// These queue their work.
void launch_fill(const DeviceTable& table, const gpu::Stream& stream);  // initial contents
// `jump`: a(number) for the updates between a thread's runs.
void launch_replay(const DeviceTable& table, std::int64_t updates, std::uint64_t jump, const Starts& starts,
                   const gpu::Stream& stream);
// Each block's part of a Tally of n words.
void launch_count(std::int64_t n, gpu::DevicePointer<const std::uint64_t> words,
                  gpu::PinnedPointer<std::uint64_t> checksums, gpu::PinnedPointer<std::int64_t> right,
                  std::int64_t blocks, const gpu::Stream& stream);

}  // namespace banzuke::gups
