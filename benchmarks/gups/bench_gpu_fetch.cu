#include "bench_gpu_fetch.hpp"

#include <cstddef>

namespace banzuke::gups {

#if defined(__CUDACC__)
int ask_for_fetch(int bytes) {
  std::size_t fetched = 0;
  if (cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, static_cast<std::size_t>(bytes)) != cudaSuccess) return 0;
  if (cudaDeviceGetLimit(&fetched, cudaLimitMaxL2FetchGranularity) != cudaSuccess) return 0;
  return static_cast<int>(fetched);
}
#else
int ask_for_fetch(int /*bytes*/) { return 0; }
#endif

}  // namespace banzuke::gups
