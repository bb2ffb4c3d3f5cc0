#include "bench_gpu_plain.hpp"
#include "core/gpu/launch.hpp"
#include "loops.hpp"

namespace banzuke::stream {

#if defined(__CUDACC__) || defined(__HIPCC__)

__global__ void plain_triad(std::int64_t n, double* a, const double* b, const double* c) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] + scalar * c[i];
}

void launch_plain_triad(const DeviceArrays& arrays, const gpu::Stream& stream) {
  constexpr int threads = 1024;
  plain_triad<<<static_cast<unsigned>((arrays.n + threads - 1) / threads), threads, 0,
                static_cast<gpu::detail::NativeStream>(stream.native())>>>(arrays.n, arrays.a.address(),
                                                                           arrays.b.address(), arrays.c.address());
  gpu::detail::launched(stream);
}

#else

void launch_plain_triad(const DeviceArrays& arrays, const gpu::Stream& stream) {
  for (std::int64_t i = 0; i < arrays.n; ++i) {
    arrays.a.address()[i] = arrays.b.address()[i] + scalar * arrays.c.address()[i];
  }
  gpu::detail::launched(stream);
}

#endif

}  // namespace banzuke::stream
