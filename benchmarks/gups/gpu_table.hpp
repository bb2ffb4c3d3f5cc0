// A table in the memory of the current device, its updates by any of the ways to launch them, and its check.
#pragma once

#include <vector>

#include "core/gpu/timing.hpp"
#include "gpu_launches.hpp"
#include "gups.hpp"

namespace banzuke::gups {

class Table {
 public:
  Table(std::int64_t n, int multiprocessors);

  void fill();  // initial contents
  // Makes `updates` updates, starting with a(first + 1); returns seconds. `waves`: number of threads, as a multiple of
  // those that the device holds at once.
  double run(std::int64_t first, std::int64_t updates, const UpdateWay& way = update_way(0), std::int64_t waves = 1);
  void replay(std::int64_t updates);
  Tally tally() const;
  std::vector<std::uint64_t> words() const;
  const gpu::Stream& stream() const { return stream_; }

 private:
  DeviceTable table() { return {static_cast<std::int64_t>(words_.size()), words_.data()}; }
  // Starting points of blocks of `threads` threads if each thread has `stretch` of the updates that follow a(first).
  Starts starts(std::int64_t first, std::int64_t blocks, int threads, std::int64_t stretch);

  std::int64_t resident_threads_;
  gpu::Stream stream_;
  gpu::Timer timer_{stream_};
  gpu::DeviceBuffer<std::uint64_t> words_;
  gpu::DeviceBuffer<std::uint64_t> of_block_;
  gpu::DeviceBuffer<std::uint64_t> of_thread_;
  mutable gpu::PinnedBuffer<std::uint64_t> checksums_;
  mutable gpu::PinnedBuffer<std::int64_t> right_;
};

}  // namespace banzuke::gups
