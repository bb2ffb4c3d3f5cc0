// The loops for one instruction set. Each of loops_*.cpp is compiled for its instruction set and fills in
// `Vector`; the program takes the widest that the processor runs. Included where wider instructions are allowed, so
// nothing here may bring a function that the linker could share with the rest of the program.
#pragma once

#include <cstddef>

namespace banzuke::stream {

inline constexpr double scalar = 3.0;

// Pointers to the first element of a thread's part; every part but the last is a multiple of 64 bytes long and
// starts on a multiple of 64 bytes.
struct Loops {
  const char* name;
  void (*copy)(double* c, const double* a, std::size_t n);
  void (*scale)(double* b, const double* c, std::size_t n);
  void (*add)(double* c, const double* a, const double* b, std::size_t n);
  void (*triad)(double* a, const double* b, const double* c, std::size_t n);
  double (*dot)(const double* a, const double* b, std::size_t n);
};

enum class Stores { nontemporal, plain };

// Null where the build has no such loops; call only where the processor supports them.
const Loops* plain_loops(Stores stores);
const Loops* avx2_loops(Stores stores);
const Loops* avx512_loops(Stores stores);
const Loops* neon_loops(Stores stores);
const Loops* sve_loops(Stores stores);

}  // namespace banzuke::stream
