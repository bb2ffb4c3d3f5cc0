// The loops for one instruction set. Each of kernels_*.cpp is compiled for its instruction set and fills in `Vector`;
// the program takes the widest that the processor runs. Included in code compiled for wider instructions, so nothing
// here may define a function that the linker could share with the rest of the program.
#pragma once

#include <cstddef>
#include <cstdint>

namespace banzuke::memory {

// All make `passes` passes over arrays of n elements, a multiple of `grain`, aligned to 64 bytes. Written values depend
// on the pass number modulo `numbers`; the first pass has number `first`.
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

// Call only if the processor supports them.
const Kernels& plain_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
const Kernels& sve_kernels();

}  // namespace banzuke::memory
