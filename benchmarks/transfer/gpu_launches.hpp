#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gpu/runtime.hpp"

namespace banzuke::transfer {

// Number of blocks with which a device moves `bytes` bytes: half of what fills it, so that both directions can run
// concurrently.
std::int64_t move_blocks(std::int64_t bytes, int multiprocessors);

// Queues the copy on the stream's device, which must be current. Both ends must be aligned to 16 bytes.
void launch_move(gpu::DevicePointer<std::byte> to, gpu::PinnedPointer<std::byte> from, std::int64_t bytes,
                 std::int64_t blocks, const gpu::Stream& stream);
void launch_move(gpu::PinnedPointer<std::byte> to, gpu::DevicePointer<std::byte> from, std::int64_t bytes,
                 std::int64_t blocks, const gpu::Stream& stream);
void launch_move(gpu::DevicePointer<std::byte> to, gpu::DevicePointer<std::byte> from, std::int64_t bytes,
                 std::int64_t blocks, const gpu::Stream& stream);

}  // namespace banzuke::transfer
