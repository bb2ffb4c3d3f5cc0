#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"
#include "gpu_kernels.hpp"

namespace banzuke::memory {

void launch_join(std::int64_t lines, gpu::DevicePointer<std::byte> data, gpu::DevicePointer<const std::int64_t> next,
                 gpu::DevicePointer<const std::int64_t> place, const gpu::Stream& stream) {
  gpu::each_index(stream, lines, Join{{lines, data}, next, place});
}

void launch_count(std::int64_t lines, gpu::DevicePointer<std::byte> data, gpu::PinnedPointer<std::int64_t> right,
                  std::int64_t blocks, const gpu::Stream& stream) {
  gpu::each_block(stream, blocks, CountJoined{{lines, data}, right});
}

void launch_chase(std::int64_t loads, gpu::DevicePointer<DeviceLink> at, const gpu::Stream& stream) {
  gpu::each_block(stream, 1, Chase{loads, at});
}

void launch_fill(std::int64_t words, gpu::DevicePointer<std::uint64_t> data, const gpu::Stream& stream) {
  gpu::each_element(stream, words, FillWords{data});
}

void launch_load(std::int64_t words, std::int64_t passes, gpu::DevicePointer<const std::uint64_t> data,
                 gpu::DevicePointer<std::uint64_t> sums, std::int64_t blocks, const gpu::Stream& stream) {
  const gpu::DevicePointer<const TwoWords> pairs(reinterpret_cast<const TwoWords*>(data.address()));
  gpu::each_block(stream, blocks, Load{words / 2, passes, pairs, sums});
}

}  // namespace banzuke::memory
