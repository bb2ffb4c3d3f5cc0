// A thread's arrays, the loops over them, and the check of what these left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels.hpp"

namespace banzuke::memory {

// Kernels for the instruction sets that the processor runs, widest first.
std::span<const Kernels* const> all_kernels();

enum class Loop { load, store, copy, triad };
Loop loop_named(std::string_view name);
std::int64_t arrays_of(Loop loop);

// Bytes between arrays, so that neither cache sets nor the low bits of addresses are the same in each.
inline constexpr std::int64_t gap = std::int64_t{33} * 64;
// The most bytes that data of a size takes, and the bytes read and written in one pass.
std::int64_t reserved(Loop loop, std::int64_t size);
std::int64_t counted(Loop loop, std::int64_t size);

// What arrays 0, 1 and 2 are filled with, as far as loops read them: whole numbers, unlike their neighbours and so
// small that a triad of them is exact.
double element(std::uint64_t array, std::size_t i);

class Streams {
 public:
  // Fills arrays of `size` bytes in all at `start`.
  Streams(const Kernels& kernels, Loop loop, double* start, std::int64_t size);

  // So many passes more.
  void run(std::int64_t passes);
  // Elements that are not as all passes leave them, and of loads, whether the sum of all is not that of all elements in
  // every pass.
  std::int64_t wrong() const;

 private:
  const Kernels* kernels_;
  Loop loop_;
  std::size_t n_;
  double* a_;
  double* b_;
  double* c_;
  std::int64_t passes_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace banzuke::memory
