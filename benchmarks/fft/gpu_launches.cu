#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"
#include "core/random.hpp"

namespace banzuke::fft {
namespace {

struct Fill {
  gpu::Elements<Complex> x;

  BANZUKE_GPU Complex value(std::int64_t i) const {
    return {uniform(0, static_cast<std::uint64_t>(i)), uniform(1, static_cast<std::uint64_t>(i))};
  }
  BANZUKE_GPU void put(std::int64_t i, const Complex& value) const { x[i] = value; }
};

}  // namespace

void launch_fill(gpu::DevicePointer<Complex> x, std::int64_t size, const gpu::Stream& stream) {
  gpu::each_element(stream, size, Fill{x});
}

}  // namespace banzuke::fft
