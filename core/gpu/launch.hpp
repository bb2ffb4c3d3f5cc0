// Launches of functors. Included only by .cu files, which are compiled for CUDA, for HIP, and as plain C++ for the
// emulated device of the tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gpu/kernel.hpp"
#include "core/gpu/runtime.hpp"

#if !BANZUKE_ON_GPU
#include "core/gpu/emulated/queue.hpp"
#endif

namespace banzuke::gpu {

inline constexpr int usual_threads = 256;

namespace detail {

// Loads in flight per thread: a thread has this many elements, all loaded before the first is stored, or half as many
// if the functor says `loads = 2`. For Triad on an H200, two elements were within 0.3% of the fastest number and four
// 0.9% slower; for Copy, four were 2% faster than two. Grid-stride loops of resident blocks and bulk copies through
// shared memory were 5% slower.
inline constexpr int in_flight = 4;
template <class Element>
constexpr int per_thread() {
  if constexpr (requires { Element::loads; }) {
    return in_flight / Element::loads;
  } else {
    return in_flight;
  }
}
template <class Element>
constexpr std::int64_t per_block() {
  return std::int64_t{usual_threads} * per_thread<Element>();
}

// The work of one thread; the last block may have fewer elements than its threads could take.
template <class Element>
BANZUKE_GPU void elements_of_thread(std::int64_t block, int thread, std::int64_t n, const Element& element) {
  constexpr int number = per_thread<Element>();
  const std::int64_t first = block * per_block<Element>() + thread;
  if (first + (number - 1) * usual_threads < n) {
    decltype(element.value(0)) values[number];
    BANZUKE_UNROLL
    for (int k = 0; k < number; ++k) values[k] = element.value(first + k * usual_threads);
    BANZUKE_UNROLL
    for (int k = 0; k < number; ++k) element.put(first + k * usual_threads, values[k]);
  } else {
    for (std::int64_t i = first; i < n; i += usual_threads) element.put(i, element.value(i));
  }
}

#if defined(__CUDACC__) || defined(__HIPCC__)
#if defined(__HIPCC__)
using NativeStream = hipStream_t;
#else
using NativeStream = cudaStream_t;
#endif

template <class Element>
__global__ void __launch_bounds__(usual_threads) elements_kernel(std::int64_t n, Element element) {
  elements_of_thread(blockIdx.x, static_cast<int>(threadIdx.x), n, element);
}

// Shared memory that a block gets without opting in.
inline constexpr std::size_t usual_shared = 48 * 1024;
template <class Work>
inline constexpr std::size_t asked_shared =
    sizeof(typename Work::Shared) > usual_shared ? sizeof(typename Work::Shared) : 0;

// Inlined, so that each kernel has its own shared memory.
template <class Work>
__device__ __forceinline__ void run_block(const Work& work) {
  const Block<Work::threads> block(blockIdx.x, gridDim.x);
  if constexpr (asked_shared<Work> > 0) {
    extern __shared__ double2 asked[];
    work(block, *reinterpret_cast<typename Work::Shared*>(asked));
  } else {
    __shared__ typename Work::Shared shared;
    work(block, shared);
  }
}

template <class Work>
__global__ void __launch_bounds__(Work::threads) blocks_kernel(Work work) {
  run_block(work);
}

// The same if Work sets the minimum number of threads resident on a multiprocessor. The compiler then gives each thread
// as many registers as that allows, and so keeps more loads in flight; otherwise it tends to save registers.
template <class Work>
concept Resident = requires { Work::resident; };
#if defined(__HIPCC__)
#define BANZUKE_BOUNDS __launch_bounds__(Work::threads)
#else
#define BANZUKE_BOUNDS __launch_bounds__(Work::threads, Work::resident / Work::threads)
#endif
template <Resident Work>
__global__ void BANZUKE_BOUNDS resident_kernel(Work work) {
  run_block(work);
}
#undef BANZUKE_BOUNDS

template <class Work>
constexpr auto kernel_of() {
  if constexpr (Resident<Work>) {
    return resident_kernel<Work>;
  } else {
    return blocks_kernel<Work>;
  }
}

// Opts in to more shared memory than the usual amount; a launch that did not get it fails.
template <class Work>
void ask_for_shared() {
  if constexpr (asked_shared<Work> > 0) {
    const auto* const kernel = reinterpret_cast<const void*>(kernel_of<Work>());
#if defined(__HIPCC__)
    static_cast<void>(hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, asked_shared<Work>));
#else
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, asked_shared<Work>);
#endif
  }
}
#endif

}  // namespace detail

// element.put(i, element.value(i)) for 0 <= i < n.
template <class Element>
void each_element(const Stream& stream, std::int64_t n, const Element& element) {
  if (n <= 0) return;
  const std::int64_t of_block = detail::per_block<Element>();
  const std::int64_t blocks = (n + of_block - 1) / of_block;
#if defined(__CUDACC__) || defined(__HIPCC__)
  detail::elements_kernel<<<static_cast<unsigned>(blocks), usual_threads, 0,
                            static_cast<detail::NativeStream>(stream.native())>>>(n, element);
#else
  emulated::queue(stream, [=] {
    for (std::int64_t block = 0; block < blocks; ++block) {
      for (int thread = 0; thread < usual_threads; ++thread) detail::elements_of_thread(block, thread, n, element);
    }
  });
#endif
  detail::launched(stream);
}

// work(block, shared) on each of `blocks` blocks of Work::threads threads, with one Work::Shared for each block.
template <class Work>
void each_block(const Stream& stream, std::int64_t blocks, const Work& work) {
  if (blocks <= 0) return;
#if defined(__CUDACC__) || defined(__HIPCC__)
  detail::ask_for_shared<Work>();
  detail::kernel_of<Work>()<<<static_cast<unsigned>(blocks), Work::threads, detail::asked_shared<Work>,
                              static_cast<detail::NativeStream>(stream.native())>>>(work);
#else
  emulated::queue(stream, [=] {
    for (std::int64_t block = 0; block < blocks; ++block) {
      typename Work::Shared shared;
      work(Block<Work::threads>(block, blocks), shared);
    }
  });
#endif
  detail::launched(stream);
}

// work(i) for 0 <= i < n, for work heavy enough that a thread has a single i.
template <class Work>
void each_index(const Stream& stream, std::int64_t n, const Work& work) {
  constexpr std::int64_t threads = OverIndices<Work>::threads;
  each_block(stream, (n + threads - 1) / threads, OverIndices<Work>{n, work});
}

}  // namespace banzuke::gpu
