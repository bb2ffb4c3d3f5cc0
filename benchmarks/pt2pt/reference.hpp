// A message without MPI between two ranks that share memory: a lower bound on the time. The sender's data stays in
// place, a flag in a separate cache line signals it, and the receiver copies it to its own memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pt2pt.hpp"

namespace banzuke::pt2pt {

class Direct {
 public:
  // Each rank's part of the shared memory: its flag, and its message on the next page.
  static std::size_t part_bytes(std::size_t message);
  // Parts must be zero initially.
  Direct(std::byte* own, std::byte* peers);

  std::byte* message() { return own_ + page; }

  // One exchange, as in Messages; received data go to `in`.
  void run(Exchange kind, bool first, std::byte* in, std::size_t size, std::int64_t window);

 private:
  static constexpr std::size_t page = 4096;

  void announce();  // signals one more message, or an answer
  void await();     // waits for one more
  void copy(std::byte* in, std::size_t size) const;

  std::byte* own_;
  const std::byte* peers_;
  std::uint64_t announced_ = 0;
  std::uint64_t seen_ = 0;
};

// Returns how many times an exchange of `bytes` bytes is tried; the fastest counts.
std::int64_t direct_tries(double bytes);

}  // namespace banzuke::pt2pt
