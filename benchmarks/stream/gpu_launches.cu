#include "gpu_launches.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"
#include "gpu_kernels.hpp"

namespace banzuke::stream {

void launch_fill(const DeviceArrays& arrays, const gpu::Stream& stream) {
  gpu::each_element(stream, arrays.n, Fill{1.0, arrays.a});
  gpu::each_element(stream, arrays.n, Fill{2.0, arrays.b});
  gpu::each_element(stream, arrays.n, Fill{0.0, arrays.c});
}

void launch_calibration(const DeviceArrays& arrays, const gpu::Stream& stream) {
  gpu::each_element(stream, arrays.n, Scale{2.0, arrays.a, arrays.a});
}

void launch(Kernel kernel, const DeviceArrays& arrays, gpu::PinnedPointer<double> sums, std::int64_t blocks,
            const gpu::Stream& stream) {
  const auto& [n, a, b, c] = arrays;
  switch (kernel) {
    case Kernel::copy:
      return gpu::each_element(stream, n, Copy{a, c});
    case Kernel::scale:
      return gpu::each_element(stream, n, Scale{scalar, c, b});
    case Kernel::add:
      return gpu::each_element(stream, n, Add{a, b, c});
    case Kernel::triad:
      return gpu::each_element(stream, n, Triad{b, c, a});
    case Kernel::dot:
      return gpu::each_block(stream, blocks, Dot{n, a, b, sums});
  }
}

std::int64_t dot_blocks(std::int64_t n, int multiprocessors) {
  constexpr std::int64_t of_block = std::int64_t{Dot::threads} * Dot::in_flight;
  constexpr std::int64_t of_multiprocessor = 8;
  return std::max<std::int64_t>(1, std::min((n + of_block - 1) / of_block, of_multiprocessor * multiprocessors));
}

}  // namespace banzuke::stream
