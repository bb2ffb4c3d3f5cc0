// A fast barrier for the threads of a parallel region, for loops that synchronise thousands of times a second.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace banzuke {

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  // Returns when all threads have called it. Spins, and yields if there are more threads than processors.
  void wait();

 private:
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
  int threads_;
};

// How a loop is divided among workers: equally, or in proportion to their rates.
class Parts {
 public:
  Parts(int count) : count_(count) {}  // NOLINT(google-explicit-constructor): a number of parts means equal ones
  // Throws std::invalid_argument if there is no rate, or one is not positive.
  explicit Parts(const std::vector<double>& rates);

  int count() const { return count_; }
  // Returns how many of `items` the parts before `index` hold in total, rounded down.
  std::int64_t before(int index, std::int64_t items) const;

 private:
  int count_;
  std::vector<double> ends_;  // where each part ends, as a fraction of all items; empty: equal parts
};

// Returns part `index` of [begin, end), split at multiples of `grain` from `begin`: first and one past the last.
std::pair<std::int64_t, std::int64_t> share(std::int64_t begin, std::int64_t end, int index, const Parts& parts,
                                            std::int64_t grain = 1);

}  // namespace banzuke
