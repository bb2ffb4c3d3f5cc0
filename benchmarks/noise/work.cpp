#include "work.hpp"

namespace banzuke::noise {

// One copy for all threads, at the beginning of a cache line.
[[gnu::noinline, gnu::aligned(64)]] std::uint64_t run_blocks(std::uint64_t value, std::int64_t blocks) {
  for (std::int64_t i = 0; i < blocks; ++i) {
#pragma GCC unroll 16
    for (int k = 0; k < steps_of_block; ++k) {
      value = value * multiplier + increment;
      asm volatile("" : "+r"(value));  // so that the compiler keeps each step
    }
  }
  return value;
}

}  // namespace banzuke::noise
