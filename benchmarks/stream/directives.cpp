#include "directives.hpp"

#include "gpu_launches.hpp"
#include "loops.hpp"

namespace banzuke::stream {

void launch_fill(const DeviceArrays& arrays, const gpu::Stream& /*stream*/) {
  fill(arrays.n, 1.0, arrays.a.address());
  fill(arrays.n, 2.0, arrays.b.address());
  fill(arrays.n, 0.0, arrays.c.address());
}

void launch_calibration(const DeviceArrays& arrays, const gpu::Stream& /*stream*/) {
  scale(arrays.n, 2.0, arrays.a.address(), arrays.a.address());
}

void launch(Kernel kernel, const DeviceArrays& arrays, gpu::PinnedPointer<double> sums, std::int64_t /*blocks*/,
            const gpu::Stream& /*stream*/) {
  double* a = arrays.a.address();
  double* b = arrays.b.address();
  double* c = arrays.c.address();
  switch (kernel) {
    case Kernel::copy:
      return copy(arrays.n, a, c);
    case Kernel::scale:
      return scale(arrays.n, scalar, c, b);
    case Kernel::add:
      return add(arrays.n, a, b, c);
    case Kernel::triad:
      return triad(arrays.n, b, c, a);
    case Kernel::dot:
      *sums.address() = dot(arrays.n, a, b);
  }
}

// A reduction of directives leaves a single sum.
std::int64_t dot_blocks(std::int64_t /*n*/, int /*multiprocessors*/) { return 1; }

}  // namespace banzuke::stream
