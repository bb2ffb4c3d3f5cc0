// The loops for one instruction set. Each of kernels_*.cpp is compiled for its instruction set and fills in `Vector`;
// the program takes the widest that the processor runs. Included where wider instructions are allowed, so nothing here
// may bring a function that the linker could share with the rest of the program.
#pragma once

#include <cstddef>
#include <cstdint>

namespace banzuke::memory {

// All go `passes` times over arrays of n elements, n a multiple of `grain`, which start at multiples of 64 bytes. What
// is written depends on the number of the pass, modulo `numbers`; the first has the number `first`.
struct Kernels {
  const char* name;
  // Sum of the elements' bits, modulo 2^64, over all passes.
  std::uint64_t (*load)(const double* a, std::size_t n, std::int64_t passes);
  void (*store)(double* a, std::size_t n, std::int64_t first, std::int64_t passes);
  void (*copy)(double* a, const double* b, std::size_t n, std::int64_t passes);
  void (*triad)(double* a, const double* b, const double* c, std::size_t n, std::int64_t first, std::int64_t passes);
};

inline constexpr std::size_t grain = 64;
inline constexpr std::int64_t numbers = std::int64_t{1} << 20U;

// Call only where the processor supports them.
const Kernels& plain_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
const Kernels& sve_kernels();

}  // namespace banzuke::memory
