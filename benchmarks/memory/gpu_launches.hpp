#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gpu/runtime.hpp"

namespace banzuke::memory {

// Bytes between loads of a chase on a device: the line of the caches of NVIDIA's devices and of AMD's L2.
inline constexpr std::int64_t device_line = 128;

// The beginning of a line in device memory.
struct DeviceLink {
  const DeviceLink* next;
  std::int64_t place;  // in the cycle, from 0
};

// These queue their work.
void launch_join(std::int64_t lines, gpu::DevicePointer<std::byte> data, gpu::DevicePointer<const std::int64_t> next,
                 gpu::DevicePointer<const std::int64_t> place, const gpu::Stream& stream);
void launch_count(std::int64_t lines, gpu::DevicePointer<std::byte> data, gpu::PinnedPointer<std::int64_t> right,
                  std::int64_t blocks, const gpu::Stream& stream);
void launch_chase(std::int64_t loads, gpu::DevicePointer<DeviceLink> at, const gpu::Stream& stream);
void launch_fill(std::int64_t words, gpu::DevicePointer<std::uint64_t> data, const gpu::Stream& stream);
// Reads an even number of words in each pass, and leaves a sum for each block.
void launch_load(std::int64_t words, std::int64_t passes, gpu::DevicePointer<const std::uint64_t> data,
                 gpu::DevicePointer<std::uint64_t> sums, std::int64_t blocks, const gpu::Stream& stream);

}  // namespace banzuke::memory
