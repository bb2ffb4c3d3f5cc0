#include "bench_gpu_plain.hpp"
#include "core/gpu/launch.hpp"
#include "loops.hpp"

namespace banzuke::stream {

#if defined(__CUDACC__) || defined(__HIPCC__)

namespace {

constexpr int threads = 256;
constexpr int pairs_of_thread = 2;

template <bool streamed>
__device__ double2 load(const double2* at) {
  if constexpr (!streamed) return *at;
#if defined(__HIPCC__)
  return {__builtin_nontemporal_load(&at->x), __builtin_nontemporal_load(&at->y)};
#else
  return __ldcs(at);
#endif
}

template <bool streamed>
__device__ void store(double2* at, double2 value) {
  if constexpr (!streamed) {
    *at = value;
  } else {
#if defined(__HIPCC__)
    __builtin_nontemporal_store(value.x, &at->x);
    __builtin_nontemporal_store(value.y, &at->y);
#else
    __stcs(at, value);
#endif
  }
}

unsigned blocks(std::int64_t items, std::int64_t of_block) {
  return static_cast<unsigned>((items + of_block - 1) / of_block);
}

}  // namespace

__global__ void plain_triad(std::int64_t n, double* a, const double* b, const double* c) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] + scalar * c[i];
}

// Takes elements in pairs; the first thread takes the one that is left over.
template <bool streamed>
__global__ void __launch_bounds__(threads) wide_triad(std::int64_t n, double* a, const double* b, const double* c) {
  const std::int64_t first = std::int64_t{blockIdx.x} * (threads * pairs_of_thread) + threadIdx.x;
  double2 of_b[pairs_of_thread] = {};
  double2 of_c[pairs_of_thread] = {};
#pragma unroll
  for (int k = 0; k < pairs_of_thread; ++k) {
    const std::int64_t i = first + k * threads;
    if (i >= n / 2) continue;
    of_b[k] = load<streamed>(reinterpret_cast<const double2*>(b) + i);
    of_c[k] = load<streamed>(reinterpret_cast<const double2*>(c) + i);
  }
#pragma unroll
  for (int k = 0; k < pairs_of_thread; ++k) {
    const std::int64_t i = first + k * threads;
    if (i >= n / 2) continue;
    store<streamed>(reinterpret_cast<double2*>(a) + i,
                    {of_b[k].x + scalar * of_c[k].x, of_b[k].y + scalar * of_c[k].y});
  }
  if (first == 0 && n % 2 == 1) a[n - 1] = b[n - 1] + scalar * c[n - 1];
}

void launch_triad(Way way, const DeviceArrays& arrays, const gpu::Stream& stream) {
  constexpr int of_element = 1024;
  const auto queue = static_cast<gpu::detail::NativeStream>(stream.native());
  const unsigned wide_blocks = blocks(arrays.n, std::int64_t{threads} * pairs_of_thread * 2);
  double* const a = arrays.a.address();
  const double* const b = arrays.b.address();
  const double* const c = arrays.c.address();
  switch (way) {
    case Way::element:
      plain_triad<<<blocks(arrays.n, of_element), of_element, 0, queue>>>(arrays.n, a, b, c);
      break;
    case Way::wide:
      wide_triad<false><<<wide_blocks, threads, 0, queue>>>(arrays.n, a, b, c);
      break;
    case Way::streamed:
      wide_triad<true><<<wide_blocks, threads, 0, queue>>>(arrays.n, a, b, c);
  }
  gpu::detail::launched(stream);
}

#else

void launch_triad(Way /*way*/, const DeviceArrays& arrays, const gpu::Stream& stream) {
  for (std::int64_t i = 0; i < arrays.n; ++i) {
    arrays.a.address()[i] = arrays.b.address()[i] + scalar * arrays.c.address()[i];
  }
  gpu::detail::launched(stream);
}

#endif

}  // namespace banzuke::stream
