#include "gpu_launches.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"
#include "gpu_kernels.hpp"

namespace banzuke::transfer {
namespace {

template <gpu::Space To, gpu::Space From>
void move(gpu::Pointer<std::byte, To> to, gpu::Pointer<std::byte, From> from, std::int64_t bytes, std::int64_t blocks,
          const gpu::Stream& stream) {
  const std::int64_t wide = bytes / static_cast<std::int64_t>(sizeof(Wide));
  const std::int64_t moved = wide * static_cast<std::int64_t>(sizeof(Wide));
  gpu::each_block(stream, blocks,
                  Move{wide, gpu::Pointer<Wide, From>(reinterpret_cast<Wide*>(from.address())),
                       gpu::Pointer<Wide, To>(reinterpret_cast<Wide*>(to.address())), static_cast<int>(bytes - moved),
                       from + moved, to + moved});
}

}  // namespace

std::int64_t move_blocks(std::int64_t bytes, int multiprocessors) {
  constexpr std::int64_t of_multiprocessor = 4;
  constexpr std::int64_t of_block = std::int64_t{Move::threads} * Move::in_flight * std::int64_t{sizeof(Wide)};
  return std::clamp((bytes + of_block - 1) / of_block, std::int64_t{1}, of_multiprocessor * multiprocessors);
}

void launch_move(gpu::DevicePointer<std::byte> to, gpu::PinnedPointer<std::byte> from, std::int64_t bytes,
                 std::int64_t blocks, const gpu::Stream& stream) {
  move(to, from, bytes, blocks, stream);
}

void launch_move(gpu::PinnedPointer<std::byte> to, gpu::DevicePointer<std::byte> from, std::int64_t bytes,
                 std::int64_t blocks, const gpu::Stream& stream) {
  move(to, from, bytes, blocks, stream);
}

void launch_move(gpu::DevicePointer<std::byte> to, gpu::DevicePointer<std::byte> from, std::int64_t bytes,
                 std::int64_t blocks, const gpu::Stream& stream) {
  move(to, from, bytes, blocks, stream);
}

}  // namespace banzuke::transfer
