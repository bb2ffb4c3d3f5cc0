#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"
#include "gpu_kernels.hpp"

namespace banzuke::spmv {
namespace {

struct Vectors {
  gpu::DevicePointer<const double> x;
  gpu::DevicePointer<double> y;
};

Entries entries_of(const DeviceEntries& entries, const Vectors& vectors) {
  return {entries.column, entries.value, vectors.x};
}

template <class Rows>
Rows parts_of(const DeviceParts& of, const Vectors& vectors) {
  return {of.parts, of.start, of.row, of.cut, of.arrived, of.partial, entries_of(of.entries, vectors), vectors.y};
}

std::int64_t blocks_of(std::int64_t number, int in_a_block) { return (number + in_a_block - 1) / in_a_block; }

template <int Group, bool Cut>
void launch_csr(const DeviceParts& matrix, const Vectors& vectors, const gpu::Stream& stream) {
  using Product = CsrProduct<Group, Cut>;
  gpu::each_block(stream, blocks_of(matrix.parts, Product::Rows::groups),
                  Product{parts_of<typename Product::Rows>(matrix, vectors)});
}

template <int Group>
void launch_csr(const DeviceParts& matrix, const Vectors& vectors, const gpu::Stream& stream) {
  matrix.named ? launch_csr<Group, true>(matrix, vectors, stream) : launch_csr<Group, false>(matrix, vectors, stream);
}

template <int Slices, bool Apart, int InFlight, bool Once, bool Ahead, int Resident>
void launch_sell(const DeviceSell& matrix, const Vectors& vectors, const gpu::Stream& stream) {
  using Product = SellProduct<Slices, Apart, InFlight, Once, Ahead, Resident>;
  const std::int64_t apart = blocks_of(matrix.apart.parts, Product::Rows::groups);
  gpu::each_block(
      stream, apart + blocks_of(matrix.chunks, Product::chunks_here),
      Product{matrix.chunks, matrix.rows, matrix.sigma, apart, matrix.start, matrix.row,
              entries_of(matrix.entries, vectors), vectors.y, parts_of<typename Product::Rows>(matrix.apart, vectors)});
}

template <int Slices, int InFlight, bool Once, bool Ahead, int Resident>
void launch_sell(const DeviceSell& matrix, const Vectors& vectors, const gpu::Stream& stream) {
  matrix.apart.parts > 0 ? launch_sell<Slices, true, InFlight, Once, Ahead, Resident>(matrix, vectors, stream)
                         : launch_sell<Slices, false, InFlight, Once, Ahead, Resident>(matrix, vectors, stream);
}

template <int InFlight, bool Once, bool Ahead, int Resident>
void launch_sell(const DeviceSell& matrix, int slices, const Vectors& vectors, const gpu::Stream& stream) {
  switch (slices) {
    case 1:
      return launch_sell<1, InFlight, Once, Ahead, Resident>(matrix, vectors, stream);
    case 2:
      return launch_sell<2, InFlight, Once, Ahead, Resident>(matrix, vectors, stream);
    case 4:
      return launch_sell<4, InFlight, Once, Ahead, Resident>(matrix, vectors, stream);
    default:
      return launch_sell<8, InFlight, Once, Ahead, Resident>(matrix, vectors, stream);
  }
}

}  // namespace

void launch(const DeviceParts& matrix, int group, gpu::DevicePointer<const double> x, gpu::DevicePointer<double> y,
            const gpu::Stream& stream) {
  const Vectors vectors{x, y};
  switch (group) {
    case 2:
      return launch_csr<2>(matrix, vectors, stream);
    case 4:
      return launch_csr<4>(matrix, vectors, stream);
    case 8:
      return launch_csr<8>(matrix, vectors, stream);
    case 16:
      return launch_csr<16>(matrix, vectors, stream);
    default:
      return launch_csr<32>(matrix, vectors, stream);
  }
}

void launch(const DeviceSell& matrix, const SellWay& way, gpu::DevicePointer<const double> x,
            gpu::DevicePointer<double> y, const gpu::Stream& stream) {
  const Vectors vectors{x, y};
  switch (way.variant) {
    case 0:
      return launch_sell<8, true, false, 1024>(matrix, way.slices, vectors, stream);
    case 1:
      return launch_sell<8, false, false, 1024>(matrix, way.slices, vectors, stream);
    case 2:
      return launch_sell<0, true, false, 2048>(matrix, way.slices, vectors, stream);
    case 3:
      return launch_sell<4, true, false, 1536>(matrix, way.slices, vectors, stream);
    case 4:
      return launch_sell<4, true, true, 1280>(matrix, way.slices, vectors, stream);
    case 5:
      return launch_sell<4, false, true, 1280>(matrix, way.slices, vectors, stream);
    case 6:
      return launch_sell<2, true, true, 1536>(matrix, way.slices, vectors, stream);
    case 7:
      return launch_sell<3, true, true, 1536>(matrix, way.slices, vectors, stream);
    default:
      return launch_sell<5, true, false, 1280>(matrix, way.slices, vectors, stream);
  }
}

}  // namespace banzuke::spmv
