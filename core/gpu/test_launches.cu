#include "core/gpu/test_launches.hpp"

#include "core/gpu/launch.hpp"
#include "core/gpu/test_kernels.hpp"

namespace banzuke::gpu::testing {

void launch_count(std::int64_t n, DevicePointer<std::int64_t> twice, DevicePointer<int> written, const Stream& stream) {
  each_element(stream, n, Count{twice, written});
}

void launch_reverse(std::int64_t blocks, DevicePointer<const int> from, PinnedPointer<int> to, const Stream& stream) {
  each_block(stream, blocks, Reverse{from, to});
}

void launch_sum(int threads, std::int64_t blocks, DevicePointer<std::int64_t> sums, const Stream& stream) {
  if (threads == 1) each_block(stream, blocks, Sum<1>{sums});
  if (threads == 32) each_block(stream, blocks, Sum<32>{sums});
  if (threads == 256) each_block(stream, blocks, Sum<256>{sums});
}

void launch_group_sums(int group, std::int64_t blocks, DevicePointer<const double> from, DevicePointer<double> sums,
                       DevicePointer<std::int32_t> arrived, DevicePointer<double> total, const Stream& stream) {
  if (group == 1) each_block(stream, blocks, GroupSums<1>{from, sums, arrived, total});
  if (group == 8) each_block(stream, blocks, GroupSums<8>{from, sums, arrived, total});
  if (group == 32) each_block(stream, blocks, GroupSums<32>{from, sums, arrived, total});
}

}  // namespace banzuke::gpu::testing
