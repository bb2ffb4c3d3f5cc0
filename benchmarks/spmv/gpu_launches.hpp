#pragma once

#include <cstdint>

#include "core/gpu/runtime.hpp"

namespace banzuke::spmv {

struct DeviceSell {
  std::int64_t places;
  gpu::DevicePointer<const std::int64_t> start;
  gpu::DevicePointer<const std::int32_t> row, column;
  gpu::DevicePointer<const double> value;
};
struct DeviceMerge {
  std::int64_t rows, nonzeros, tiles;
  gpu::DevicePointer<const std::int32_t> tile_row;
  gpu::DevicePointer<const std::int64_t> start;
  gpu::DevicePointer<const std::int32_t> column;
  gpu::DevicePointer<const double> value;
};

// Queue y := A x.
void launch(const DeviceSell& matrix, gpu::DevicePointer<const double> x, gpu::DevicePointer<double> y,
            const gpu::Stream& stream);
void launch(const DeviceMerge& matrix, gpu::DevicePointer<const double> x, gpu::DevicePointer<double> y,
            const gpu::Stream& stream);

}  // namespace banzuke::spmv
