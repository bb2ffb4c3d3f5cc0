#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"
#include "gpu_kernels.hpp"

namespace banzuke::spmv {
namespace {

struct Vectors {
  gpu::DevicePointer<const double> x;
  gpu::DevicePointer<double> y;
};

template <bool Once>
Entries<Once> entries_of(const DeviceEntries& entries, const Vectors& vectors) {
  return {entries.column, entries.value, vectors.x};
}

template <int Group, int Threads, bool Cut, bool Once>
Parts<Group, Threads, Cut, Once> parts_of(const DeviceParts& of, const Vectors& vectors) {
  return {of.parts, of.start, of.row, of.cut, of.arrived, of.partial, entries_of<Once>(of.entries, vectors), vectors.y};
}

std::int64_t blocks_of(std::int64_t number, int in_a_block) { return (number + in_a_block - 1) / in_a_block; }

template <int Group, bool Cut, bool Once>
void launch_csr(const DeviceParts& matrix, const Vectors& vectors, const gpu::Stream& stream) {
  using Product = CsrProduct<Group, Cut, Once>;
  gpu::each_block(stream, blocks_of(matrix.parts, Product::Rows::groups),
                  Product{parts_of<Group, Product::threads, Cut, Once>(matrix, vectors)});
}

template <int Group>
void launch_csr(const DeviceParts& matrix, bool once, const Vectors& vectors, const gpu::Stream& stream) {
  if (matrix.named) {
    once ? launch_csr<Group, true, true>(matrix, vectors, stream)
         : launch_csr<Group, true, false>(matrix, vectors, stream);
  } else {
    once ? launch_csr<Group, false, true>(matrix, vectors, stream)
         : launch_csr<Group, false, false>(matrix, vectors, stream);
  }
}

template <int Slices, bool Apart, Loads How, bool Once>
void launch_sell(const DeviceSell& matrix, const Vectors& vectors, const gpu::Stream& stream) {
  using Product = SellProduct<Slices, Apart, How, Once>;
  const std::int64_t apart = blocks_of(matrix.apart.parts, Product::Rows::groups);
  gpu::each_block(stream, apart + blocks_of(matrix.chunks, Product::chunks_here),
                  Product{matrix.chunks, matrix.rows, matrix.sigma, apart, matrix.start, matrix.row,
                          entries_of<Once>(matrix.entries, vectors), vectors.y,
                          parts_of<Product::chunk, Product::threads, Apart, Once>(matrix.apart, vectors)});
}

template <int Slices, Loads How>
void launch_sell(const DeviceSell& matrix, bool once, const Vectors& vectors, const gpu::Stream& stream) {
  if (matrix.apart.parts > 0) {
    once ? launch_sell<Slices, true, How, true>(matrix, vectors, stream)
         : launch_sell<Slices, true, How, false>(matrix, vectors, stream);
  } else {
    once ? launch_sell<Slices, false, How, true>(matrix, vectors, stream)
         : launch_sell<Slices, false, How, false>(matrix, vectors, stream);
  }
}

template <Loads How>
void launch_sell(const DeviceSell& matrix, const GpuWay& way, const Vectors& vectors, const gpu::Stream& stream) {
  switch (way.sharers) {
    case 1:
      return launch_sell<1, How>(matrix, way.once, vectors, stream);
    case 2:
      return launch_sell<2, How>(matrix, way.once, vectors, stream);
    case 4:
      return launch_sell<4, How>(matrix, way.once, vectors, stream);
    default:
      return launch_sell<8, How>(matrix, way.once, vectors, stream);
  }
}

}  // namespace

void launch(const DeviceParts& matrix, const GpuWay& way, gpu::DevicePointer<const double> x,
            gpu::DevicePointer<double> y, const gpu::Stream& stream) {
  const Vectors vectors{x, y};
  switch (way.sharers) {
    case 2:
      return launch_csr<2>(matrix, way.once, vectors, stream);
    case 4:
      return launch_csr<4>(matrix, way.once, vectors, stream);
    case 8:
      return launch_csr<8>(matrix, way.once, vectors, stream);
    case 16:
      return launch_csr<16>(matrix, way.once, vectors, stream);
    default:
      return launch_csr<32>(matrix, way.once, vectors, stream);
  }
}

void launch(const DeviceSell& matrix, const GpuWay& way, gpu::DevicePointer<const double> x,
            gpu::DevicePointer<double> y, const gpu::Stream& stream) {
  const Vectors vectors{x, y};
  switch (way.loads) {
    case Loads::few:
      return launch_sell<Loads::few>(matrix, way, vectors, stream);
    case Loads::many:
      return launch_sell<Loads::many>(matrix, way, vectors, stream);
    case Loads::ahead:
      return launch_sell<Loads::ahead>(matrix, way, vectors, stream);
  }
}

}  // namespace banzuke::spmv
