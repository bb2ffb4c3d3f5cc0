// Building blocks for kernels on irregular data besides kernel.hpp: sums over groups of a block's threads, and
// detection of the last block to finish.
#pragma once

#include "core/gpu/kernel.hpp"

namespace banzuke::gpu {

// Calls function(thread) on all threads of a block, without a barrier at the end.
template <int Threads, class Function>
BANZUKE_GPU void each_alone(const Block<Threads>& block, Function function) {
#if BANZUKE_ON_GPU
  function(static_cast<int>(threadIdx.x));
#else
  block.each(function);
#endif
}

// Sums `values` over each group of `Group` neighbouring threads, at most 32; the group's first thread gets the sum.
template <int Group, int Threads, class T>
BANZUKE_GPU void sum_of_groups(const Block<Threads>&, Private<T, Threads>& values) {
  static_assert(Group <= 32 && (Group & (Group - 1)) == 0 && Threads % Group == 0);
  BANZUKE_UNROLL
  for (int half = Group / 2; half > 0; half /= 2) {
#if defined(__HIPCC__)
    values[0] += __shfl_down(values[0], half, Group);
#elif BANZUKE_ON_GPU
    values[0] += __shfl_down_sync(0xFFFFFFFFU, values[0], half, Group);
#else
    for (int thread = 0; thread < Threads; ++thread) {
      if (thread % Group < half) values[thread] += values[thread + half];
    }
#endif
  }
}

// Loads an element that other blocks may just have written, bypassing this multiprocessor's cache.
BANZUKE_GPU inline double load_fresh(const Elements<double>& array, std::int64_t i) {
#if defined(__HIPCC__)
  return __hip_atomic_load(&array[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#elif BANZUKE_ON_GPU
  return __ldcg(&array[i]);
#else
  return array[i];
#endif
}

// Makes this thread's writes visible to other blocks, then increments the count. Returns how many arrived before; their
// data are visible from now on.
BANZUKE_GPU inline std::int32_t arrive(const Elements<std::int32_t>& counts, std::int64_t i) {
#if BANZUKE_ON_GPU
  __threadfence();
  const std::int32_t before = atomicAdd(&counts[i], 1);
  __threadfence();
  return before;
#else
  return counts[i]++;
#endif
}

}  // namespace banzuke::gpu
