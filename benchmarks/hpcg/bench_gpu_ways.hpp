// Other implementations of the product than that in gpu_kernels.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "gpu_views.hpp"

namespace banzuke::hpcg {

struct ProductWay {
  std::string name;
  void (*queue)(const gpu::Stream& stream, const LevelView& level, std::int64_t places,
                gpu::DevicePointer<const double> x, gpu::DevicePointer<double> y);
};
const std::vector<ProductWay>& product_ways();

}  // namespace banzuke::hpcg
