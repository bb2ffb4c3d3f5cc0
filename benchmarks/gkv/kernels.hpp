// The inner loops for one instruction set; kernels_*.cpp are compiled for theirs, and the program takes the widest that
// the processor runs. Included where wider instructions are allowed, so nothing here may bring a function that the
// linker could share with the rest of the program.
// Plain arrays, because std::array would bring such functions. NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

namespace banzuke::gkv {

// Of the collision operator at one (z, v, m); those of differences with the divisors of their stencils.
struct Collision {
  double second_v;
  double first_v;
  double second_m;
  double first_m;
  double centre;
};

// Of the streaming term at one (z, v, m). z: of the upwind difference against the sign of v, which is `sign`.
struct Streaming {
  double x;
  double y;
  double z;
  double hyper;
  double v;
  int sign;
};

// Distances in doubles between neighbours.
struct Steps {
  std::int64_t y;
  std::int64_t z;
  std::int64_t v;
};

// Most rows that a call of `combine` takes.
inline constexpr int most_rows = 14;

// A row is a sum of others: out = sum over k of c[k] in[k] + x1 (in[0] one further - one before)
// + x2 (two further - two before) - damp in[0].
struct Combination {
  const double* in[most_rows];
  double c[most_rows];
  double x1;
  double x2;
  const double* damp;
  const double* ahead;  // will soon be read, and is asked of memory now
};

// Counts are of doubles: two of them are a complex number.
struct Kernels {
  const char* name;

  // As a physicist writes them, along a row of kx.
  void (*intgrl)(double* sum, const double* f, double weight, std::int64_t count);
  // m: rows at m - 2, m - 1, m + 1, m + 2.
  void (*diff45)(double* out, const double* f, std::int64_t step_v, const double* const* m, const double* damp,
                 const Collision& c, std::int64_t count);
  void (*diff123[3])(double* out, const double* f, const Steps& steps, const Streaming& c, std::int64_t count);

  // Tuned, over whole cache lines, on which rows begin.
  // sum += weight[k] f[k], four rows.
  void (*add)(double* sum, const double* const* f, const double* weight, std::int64_t count);
  // Written past the caches; seen by other threads after fence().
  void (*combine45)(double* out, const Combination& row, std::int64_t count);      // 9 rows, damped
  void (*combine123[3])(double* out, const Combination& row, std::int64_t count);  // 1, 5 or 14 rows, shifted
  void (*fence)();
};

inline constexpr int rows45 = 9;
inline constexpr int rows123[3] = {1, 5, 14};

extern const Kernels plain_kernels;
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;

}  // namespace banzuke::gkv

// NOLINTEND(modernize-avoid-c-arrays)
