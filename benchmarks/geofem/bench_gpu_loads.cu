#include "bench_gpu_loads.hpp"

#include "core/gpu/conjugate.hpp"
#include "core/gpu/launch.hpp"

namespace banzuke::geofem {
namespace {

struct LoadedValue {
  gpu::Elements<const double> x;

  BANZUKE_GPU double operator()(std::int64_t i) const { return gpu::load_once(x, i); }
};

}  // namespace

void launch_loads(const gpu::Stream& stream, const gpu::DeviceBuffer<double>& x, gpu::DeviceBuffer<double>& sums) {
  const auto n = static_cast<std::int64_t>(x.size());
  gpu::each_block(stream, gpu::sum_blocks(n), gpu::Summed<LoadedValue>{n, {x.data()}, sums.data()});
}

}  // namespace banzuke::geofem
