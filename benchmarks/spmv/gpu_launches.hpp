#pragma once

#include <cstdint>

#include "core/gpu/runtime.hpp"
#include "gpu_parts.hpp"

namespace banzuke::spmv {

struct DeviceEntries {
  gpu::DevicePointer<const std::int32_t> column;
  gpu::DevicePointer<const double> value;
};
struct DeviceParts {
  std::int64_t parts;
  gpu::DevicePointer<const std::int64_t> start;
  gpu::DevicePointer<const std::int32_t> row;
  gpu::DevicePointer<const CutRow> cut;
  gpu::DevicePointer<std::int32_t> arrived;
  gpu::DevicePointer<double> partial;
  DeviceEntries entries;
  bool named;  // `row` names the rows
};
struct DeviceSell {
  std::int64_t chunks, rows, sigma;
  gpu::DevicePointer<const std::int64_t> start;
  gpu::DevicePointer<const std::uint16_t> row;
  DeviceEntries entries;
  DeviceParts apart;
};

// Queue y := A x, with 2, 4, 8, 16 or 32 threads per row, or 1, 2, 4 or 8 warps per chunk.
void launch(const DeviceParts& matrix, const GpuWay& way, gpu::DevicePointer<const double> x,
            gpu::DevicePointer<double> y, const gpu::Stream& stream);
void launch(const DeviceSell& matrix, const GpuWay& way, gpu::DevicePointer<const double> x,
            gpu::DevicePointer<double> y, const gpu::Stream& stream);

}  // namespace banzuke::spmv
