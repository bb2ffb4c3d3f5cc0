// The loops over a rank's matrix for one instruction set; kernels_*.cpp are compiled for theirs, and the program takes
// the widest that the processor runs. Included where wider instructions are allowed, so nothing here may bring a
// function that the linker could share with the rest of the program.
#pragma once

#include <cstdint>

namespace banzuke::geofem {

// Vectors have the three values of a row side by side and, past their end, one number more that may be read.
// `width` rows side by side make a chunk; loops are given chunks [begin, end).

// Blocks of a chunk lie from start[chunk] on, each for all of its rows: nine values, then (apart) the place of the
// other row's first value in a vector; rows fastest.
struct Blocks {
  const std::int64_t* start;
  const double* value;
  const std::int32_t* column;
};

struct Rows {
  Blocks lower;            // neighbours of earlier stages
  Blocks upper;            // and of later ones
  const double* diagonal;  // nine values a row
  const double* factor;    // its LU factors, the pivots inverted
};

// Rows that need other ranks' values, each chunk with the places of its own rows; rows may come more than once where
// they add nothing.
struct Outer {
  Blocks blocks;
  const std::int32_t* row;
};

struct Kernels {
  const char* name;
  int width;
  // q := A p but for what comes from other ranks; returns p.q.
  double (*multiply)(const Rows& rows, std::int64_t begin, std::int64_t end, const double* p, double* q);
  // q += what comes from other ranks; returns p.(what was added).
  double (*multiply_outer)(const Outer& outer, std::int64_t begin, std::int64_t end, const double* p, double* q);
  // One stage of the forward sweep.
  void (*forward)(const Rows& rows, std::int64_t begin, std::int64_t end, const double* r, double* z);
  // One of the backward sweep; returns r.z.
  double (*backward)(const Rows& rows, std::int64_t begin, std::int64_t end, const double* r, double* z);
  // On n numbers: u += alpha p, r -= alpha q; returns r.r.
  double (*advance)(std::int64_t n, double alpha, const double* p, const double* q, double* u, double* r);
  // p := z + beta p
  void (*direct)(std::int64_t n, double beta, const double* z, double* p);
};

// The fastest format and plain rows, for each instruction set.
extern const Kernels plain_chunks;
extern const Kernels plain_rows;
extern const Kernels avx2_chunks;
extern const Kernels avx2_rows;
extern const Kernels avx512_chunks;
extern const Kernels avx512_rows;

}  // namespace banzuke::geofem
