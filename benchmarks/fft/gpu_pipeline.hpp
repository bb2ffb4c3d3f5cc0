// Two passes in one launch, chunk by chunk: a block of the second waits until all of the first have written its chunk,
// which is still in the cache. Blocks take their places one after another, so that what one waits for was begun before
// it and waits for nothing that comes after.
#pragma once

#include <cstdint>

#include "core/gpu/kernel.hpp"
#include "gpu_pass.hpp"

namespace banzuke::fft {

// Adds one; what it was before. What this thread wrote before is seen by those that see the sum.
BANZUKE_GPU inline std::int32_t count_up(std::int32_t& counter) {
#if BANZUKE_ON_GPU
  __threadfence();
  return atomicAdd(&counter, 1);
#else
  return counter++;
#endif
}

// Until a counter has got there.
BANZUKE_GPU inline void wait_for(std::int32_t& counter, std::int64_t least) {
#if BANZUKE_ON_GPU
  while (*static_cast<volatile std::int32_t*>(&counter) < least) {
  }
  __threadfence();
#else
  static_cast<void>(counter);
  static_cast<void>(least);
#endif
}

template <class First, class Second>
struct Pipeline {
  static_assert(First::threads == Second::threads);
  static constexpr int threads = First::threads;
  static constexpr int resident = First::resident;
  struct Shared {
    union {
      typename First::Shared first;
      typename Second::Shared second;
    };
    std::int32_t place;
  };

  First first;
  Second second;
  std::int64_t chunks;
  std::int64_t chunk;
  std::int64_t next_output;
  std::int64_t first_outers, second_outers;
  gpu::Elements<std::int32_t> counters;

  std::int64_t first_blocks() const { return first.groups * first_outers; }
  std::int64_t second_blocks() const { return second.groups * second_outers; }

  // The first pass of chunk 0; of each chunk more, and the second pass of the one before it; that of the last.
  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
#if !BANZUKE_ON_GPU
    shared.place = 0;  // the host's compiler does not see that one of the threads is the first
#endif
    block.each([&](int thread) {
      if (thread == 0) shared.place = count_up(counters[0]);
    });
    const std::int64_t place = shared.place;
    const std::int64_t ones = first.groups * first_outers;
    const std::int64_t others = second.groups * second_outers;
    if (place < ones) return do_first(block, shared, 0, place, ones, others);
    const std::int64_t step = (place - ones) / (ones + others) + 1;
    const std::int64_t rest = (place - ones) % (ones + others);
    if (step < chunks && rest < ones) return do_first(block, shared, step, rest, ones, others);
    do_second(block, shared, step - 1, step < chunks ? rest - ones : rest, ones, others);
  }

 private:
  static constexpr int rooms = DevicePipeline::rooms;

  // Where its chunk before last but one was, whose second pass must have read it.
  BANZUKE_GPU void do_first(const gpu::Block<threads>& block, Shared& shared, std::int64_t of, std::int64_t index,
                            std::int64_t ones, std::int64_t others) const {
    if (of >= rooms) wait(block, counters[2 + 2 * (of - rooms)], others);
    First pass = first;
    pass.in_layout.base += of * chunk;
    pass.out_layout.base += of % rooms * chunk;
    pass(gpu::Block<threads>(index, ones), shared.first);
    tell(block, counters[1 + 2 * of]);
  }

  BANZUKE_GPU void do_second(const gpu::Block<threads>& block, Shared& shared, std::int64_t of, std::int64_t index,
                             std::int64_t ones, std::int64_t others) const {
    wait(block, counters[1 + 2 * of], ones);
    Second pass = second;
    pass.in_layout.base += of % rooms * chunk;
    pass.out_layout.base += of * next_output;
    pass(gpu::Block<threads>(index, others), shared.second);
    tell(block, counters[2 + 2 * of]);
  }

  BANZUKE_GPU static void wait(const gpu::Block<threads>& block, std::int32_t& counter, std::int64_t least) {
    block.each([&](int thread) {
      if (thread == 0) wait_for(counter, least);
    });
  }

  // The phase before has ended on all threads.
  BANZUKE_GPU static void tell(const gpu::Block<threads>& block, std::int32_t& counter) {
    block.each([&](int thread) {
      if (thread == 0) count_up(counter);
    });
  }
};

}  // namespace banzuke::fft
