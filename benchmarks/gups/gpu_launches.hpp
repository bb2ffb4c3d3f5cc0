#pragma once

#include <cstdint>

#include "core/gpu/runtime.hpp"

namespace banzuke::gups {

struct DeviceTable {
  std::int64_t n;
  gpu::DevicePointer<std::uint64_t> words;
};

// Where the threads of a launch begin: the numbers of its blocks and of the places in a block.
struct Starts {
  std::int64_t stretch = 0;  // updates of a thread
  std::int64_t blocks = 0;
  gpu::DevicePointer<const std::uint64_t> of_block, of_thread;
};

// What a launch of updates may be made with. The first is what the benchmark uses.
struct UpdateWay {
  const char* name;
  int threads;  // of a block
  void (*launch)(const DeviceTable& table, std::int64_t updates, const Starts& starts, const gpu::Stream& stream);
  bool exact = true;
};
inline constexpr int update_ways = 10;
const UpdateWay& update_way(int number);

// Queue their work.
void launch_fill(const DeviceTable& table, const gpu::Stream& stream);  // as at first
// `jump`: a(number) of updates between a thread's runs.
void launch_replay(const DeviceTable& table, std::int64_t updates, std::uint64_t jump, const Starts& starts,
                   const gpu::Stream& stream);
// Each block's part of a Tally of n words.
void launch_count(std::int64_t n, gpu::DevicePointer<const std::uint64_t> words,
                  gpu::PinnedPointer<std::uint64_t> checksums, gpu::PinnedPointer<std::int64_t> right,
                  std::int64_t blocks, const gpu::Stream& stream);

}  // namespace banzuke::gups
