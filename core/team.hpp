// Short waits among the threads of a parallel region, for loops that meet thousands of times a second.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace banzuke {

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  // Returns when all threads have called it. Spins, and lets others run where there are more threads than processors.
  void wait();

 private:
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
  int threads_;
};

// Part `index` of `parts` of [begin, end), cut at multiples of `grain` from `begin`: first and one past the last.
std::pair<std::int64_t, std::int64_t> share(std::int64_t begin, std::int64_t end, int index, int parts,
                                            std::int64_t grain = 1);

}  // namespace banzuke
