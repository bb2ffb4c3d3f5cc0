// The loops for one instruction set. Each of loops_*.cpp is compiled for its instruction set and fills in
// `Vector`; the program takes the widest that the processor runs. Included in code compiled for wider instructions, so
// nothing here may define a function that the linker could share with the rest of the program.
#pragma once

#include <cstddef>

namespace banzuke::stream {

inline constexpr double scalar = 3.0;

// Pointers are to the first element of a thread's part; every part but the last is a multiple of 64 bytes long, and
// parts are aligned to 64 bytes.
struct Loops {
  const char* name;
  void (*copy)(double* c, const double* a, std::size_t n);
  void (*scale)(double* b, const double* c, std::size_t n);
  void (*add)(double* c, const double* a, const double* b, std::size_t n);
  void (*triad)(double* a, const double* b, const double* c, std::size_t n);
  double (*dot)(const double* a, const double* b, std::size_t n);
};

enum class Stores { nontemporal, plain };

// Null if the build has no such loops; call only if the processor supports them.
const Loops* plain_loops(Stores stores);
const Loops* avx2_loops(Stores stores);
const Loops* avx512_loops(Stores stores);
const Loops* neon_loops(Stores stores);
const Loops* sve_loops(Stores stores);

}  // namespace banzuke::stream
