#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"
#include "core/random.hpp"

namespace banzuke::dgemm {
namespace {

struct Fill {
  std::uint64_t number;
  gpu::Elements<double> matrix;

  BANZUKE_GPU double value(std::int64_t i) const { return uniform(number, static_cast<std::uint64_t>(i)); }
  BANZUKE_GPU void put(std::int64_t i, double value) const { matrix[i] = value; }
};

}  // namespace

void launch_fill(gpu::DevicePointer<double> matrix, std::int64_t size, std::uint64_t number,
                 const gpu::Stream& stream) {
  gpu::each_element(stream, size, Fill{number, matrix});
}

}  // namespace banzuke::dgemm
