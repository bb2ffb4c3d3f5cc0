// Building blocks of kernels. A functor defines the work of one element or of one thread block; the same source runs on
// a device and, for tests, on the processor. Included only by functors and launches.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/gpu/annotations.hpp"
#include "core/gpu/space.hpp"

namespace banzuke::gpu {

// An array as a kernel sees it, in device or pinned memory.
template <class T>
class Elements {
 public:
  Elements() = default;
  template <class U, Space S>
    requires(S != Space::host && std::is_convertible_v<U*, T*>)
  Elements(Pointer<U, S> start) : start_(start.address()) {}  // NOLINT(google-explicit-constructor)

  BANZUKE_GPU T& operator[](std::int64_t i) const { return start_[i]; }

 private:
  T* start_ = nullptr;
};

// Loads an element that is not used again, so that it need not evict others from the caches.
template <class T>
BANZUKE_GPU inline T load_once(const Elements<const T>& array, std::int64_t i) {
#if defined(__HIPCC__)
  return __builtin_nontemporal_load(&array[i]);
#elif defined(__CUDACC__)
  return __ldcs(&array[i]);
#else
  return array[i];
#endif
}

// Adds atomically to an element that other blocks add to as well.
BANZUKE_GPU inline void add_at_once(const Elements<double>& array, std::int64_t i, double value) {
#if BANZUKE_ON_GPU
  atomicAdd(&array[i], value);
#else
  array[i] += value;
#endif
}

#if !BANZUKE_ON_GPU
namespace detail {

// Calls function(0), ..., function(number - 1), in a different order each time. A phase whose threads use each other's
// writes is a race on a device, and shows up here.
template <class Function>
void in_some_order(int number, Function function) {
  static thread_local unsigned calls = 0;
  const auto size = static_cast<unsigned>(number);
  const unsigned first = ++calls * 2654435761U;
  for (unsigned i = 0; i < size; ++i) {
    const unsigned place = (first + i) % size;
    function(static_cast<int>((calls & 1U) == 0 ? place : size - 1 - place));
  }
}

}  // namespace detail
#endif

// A thread block that runs phase by phase: each(f) calls f(thread) on all threads and ends with a barrier.
template <int Threads>
class Block {
 public:
  static constexpr int threads = Threads;

  BANZUKE_GPU Block(std::int64_t index, std::int64_t blocks) : index_(index), blocks_(blocks) {}
  BANZUKE_GPU std::int64_t index() const { return index_; }
  BANZUKE_GPU std::int64_t blocks() const { return blocks_; }

  template <class Function>
  BANZUKE_GPU void each(Function function) const {
#if BANZUKE_ON_GPU
    function(static_cast<int>(threadIdx.x));
    __syncthreads();
#else
    detail::in_some_order(Threads, function);
#endif
  }

 private:
  std::int64_t index_;
  std::int64_t blocks_;
};

// work(i) for i < n, one thread for each i.
template <class Work>
struct OverIndices {
  static constexpr int threads = 128;
  struct Shared {};

  std::int64_t n;
  Work work;

  BANZUKE_GPU void operator()(const Block<threads>& block, Shared& /*shared*/) const {
    block.each([&](int thread) {
      const std::int64_t i = block.index() * threads + thread;
      if (i < n) work(i);
    });
  }
};

// A private variable of each thread that keeps its value from phase to phase: a register on the device.
template <class T, int Threads>
class Private {
 public:
#if BANZUKE_ON_GPU
  BANZUKE_GPU T& operator[](int) { return value_; }

 private:
  T value_;
#else
  BANZUKE_GPU T& operator[](int thread) { return values_[static_cast<std::size_t>(thread)]; }

 private:
  std::array<T, Threads> values_;
#endif
};

// Leaves the sum of one value of each thread in `parts[0]`; the number of threads must be a power of two.
template <int Threads, class T>
BANZUKE_GPU void sum_of_block(const Block<Threads>& block, T* parts) {
  static_assert((Threads & (Threads - 1)) == 0);
  for (int half = Threads / 2; half > 0; half /= 2) {
    block.each([&](int thread) {
      if (thread < half) parts[thread] += parts[thread + half];
    });
  }
}

}  // namespace banzuke::gpu
