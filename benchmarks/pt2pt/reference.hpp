// A message without MPI, between two ranks that share memory: the least that it can take. The sender's data stays where
// it is, a flag in a cache line of its own tells that it is there, the receiver copies it to its own memory.
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
  // Parts are zero at first.
  Direct(std::byte* own, std::byte* peers);

  std::byte* message() { return own_ + page; }

  // One exchange, as Messages has it; what arrives goes to `in`.
  void run(Exchange kind, bool first, std::byte* in, std::size_t size, std::int64_t window);

 private:
  static constexpr std::size_t page = 4096;

  void announce();  // one more message, or an answer
  void await();     // for one more
  void copy(std::byte* in, std::size_t size) const;

  std::byte* own_;
  const std::byte* peers_;
  std::uint64_t announced_ = 0;
  std::uint64_t seen_ = 0;
};

// How often an exchange of so many bytes is tried, for the best of them.
std::int64_t direct_tries(double bytes);

}  // namespace banzuke::pt2pt
