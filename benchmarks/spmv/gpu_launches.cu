#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"
#include "gpu_kernels.hpp"
#include "gpu_matrix.hpp"

namespace banzuke::spmv {

static_assert(SellProduct::chunk == gpu_chunk && MergeProduct::tile == merge_tile);

void launch(const DeviceSell& matrix, gpu::DevicePointer<const double> x, gpu::DevicePointer<double> y,
            const gpu::Stream& stream) {
  const auto& [places, start, row, column, value] = matrix;
  gpu::each_block(stream, (places + SellProduct::threads - 1) / SellProduct::threads,
                  SellProduct{places, start, row, column, value, x, y});
}

void launch(const DeviceMerge& matrix, gpu::DevicePointer<const double> x, gpu::DevicePointer<double> y,
            const gpu::Stream& stream) {
  const auto& [rows, nonzeros, tiles, tile_row, start, column, value] = matrix;
  // A tile that is alone cuts no row, and small matrices take no longer than their kernels' starts.
  if (tiles > 1) gpu::each_element(stream, tiles, MergeBegin{rows, tile_row, y});
  gpu::each_block(stream, tiles, MergeProduct{rows, nonzeros, tile_row, start, column, value, x, y});
}

}  // namespace banzuke::spmv
