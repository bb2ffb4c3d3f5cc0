// A thread's arrays, the loops over them, and the check of their results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels.hpp"

namespace banzuke::memory {

// Kernels for the instruction sets that the processor supports, widest first.
std::span<const Kernels* const> all_kernels();
// Those for the instruction set of this name, a value of `isa_names`; null if the processor or the build has none.
const Kernels* kernels_named(std::string_view name);
inline constexpr std::array<std::string_view, 5> isa_names{"widest", "avx512", "avx2", "sve", "plain"};

enum class Loop { load, store, copy, triad };
Loop loop_named(std::string_view name);
std::int64_t arrays_of(Loop loop);

// Bytes between arrays, so that they differ in cache sets and low address bits.
inline constexpr std::int64_t gap = std::int64_t{33} * 64;
// Maximum bytes that data of a size takes, and the bytes read and written in one pass.
std::int64_t reserved(Loop loop, std::int64_t size);
std::int64_t counted(Loop loop, std::int64_t size);

// Initial elements of arrays 0, 1 and 2, if loops read them: integers that differ from their neighbours, small enough
// that triad is exact.
double element(std::uint64_t array, std::size_t i);

class Streams {
 public:
  // Fills arrays of `size` bytes in total at `start`.
  Streams(const Kernels& kernels, Loop loop, double* start, std::int64_t size);

  // Makes another `passes` passes.
  void run(std::int64_t passes);
  // Number of elements that are wrong after all passes; for loads, whether the total sum is wrong.
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
