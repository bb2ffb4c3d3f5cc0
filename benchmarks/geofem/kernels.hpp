// The loops over a rank's matrix for one instruction set; each kernels_*.cpp is compiled for its own, and the program
// takes the widest that the processor runs. Included in code compiled for wider instructions, so nothing here may
// define a function that the linker could share with the rest of the program.
#pragma once

#include <cstdint>

namespace banzuke::geofem {

// Vectors hold the three values of a row contiguously and, past their end, one more number that may be read.
// `width` rows side by side make a chunk; loops are given chunks [begin, end).

// A chunk's blocks begin at start[chunk], each for all of its rows: nine values and, separately, the position of the
// other row's first value in a vector; rows vary fastest.
struct Blocks {
  const std::int64_t* start;
  const double* value;
  const std::int32_t* column;
  bool cached;  // whether the matrix stays in the caches from one use to the next
};

struct Rows {
  Blocks lower;            // neighbours of earlier stages
  Blocks upper;            // neighbours of later stages
  const double* diagonal;  // nine values per row
  const double* factor;    // its LU factors, the pivots inverted
};

// Rows that need other ranks' values; each chunk has the positions of its own rows. A row may occur repeatedly if it
// adds nothing.
struct Outer {
  Blocks blocks;
  const std::int32_t* row;
};

struct Kernels {
  const char* name;
  int width;
  // q := A p without contributions from other ranks; returns p.q.
  double (*multiply)(const Rows& rows, std::int64_t begin, std::int64_t end, const double* p, double* q);
  // q += contributions from other ranks; returns p.(what was added).
  double (*multiply_outer)(const Outer& outer, std::int64_t begin, std::int64_t end, const double* p, double* q);
  // One stage of the forward sweep.
  void (*forward)(const Rows& rows, std::int64_t begin, std::int64_t end, const double* r, double* z);
  // One stage of the backward sweep; returns r.z.
  double (*backward)(const Rows& rows, std::int64_t begin, std::int64_t end, const double* r, double* z);
  // On n numbers: u += alpha p, r -= alpha q; returns r.r.
  double (*advance)(std::int64_t n, double alpha, const double* p, const double* q, double* u, double* r);
  // p := z + beta p
  void (*direct)(std::int64_t n, double beta, const double* z, double* p);
};

// The fastest format (chunks) and plain rows, for each instruction set.
extern const Kernels plain_chunks;
extern const Kernels plain_rows;
extern const Kernels avx2_chunks;
extern const Kernels avx2_rows;
extern const Kernels avx512_chunks;
extern const Kernels avx512_rows;
extern const Kernels sve256_chunks;
extern const Kernels sve256_rows;
extern const Kernels sve512_chunks;
extern const Kernels sve512_rows;

}  // namespace banzuke::geofem
