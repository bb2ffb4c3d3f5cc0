#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gpu/runtime.hpp"

namespace banzuke::transfer {

// Blocks that a device with so many multiprocessors moves so many bytes with: half of what fills it, so that both ways
// at once are under way at once.
std::int64_t move_blocks(std::int64_t bytes, int multiprocessors);

// Queues it on the stream's device, which is current. Both ends are aligned to 16 bytes.
void launch_move(gpu::DevicePointer<std::byte> to, gpu::PinnedPointer<std::byte> from, std::int64_t bytes,
                 std::int64_t blocks, const gpu::Stream& stream);
void launch_move(gpu::PinnedPointer<std::byte> to, gpu::DevicePointer<std::byte> from, std::int64_t bytes,
                 std::int64_t blocks, const gpu::Stream& stream);
void launch_move(gpu::DevicePointer<std::byte> to, gpu::DevicePointer<std::byte> from, std::int64_t bytes,
                 std::int64_t blocks, const gpu::Stream& stream);

}  // namespace banzuke::transfer
