// The inner loops for one instruction set; each kernels_*.cpp is compiled for its own, and the program takes the widest
// that the processor runs. Included in code compiled for wider instructions, so nothing here may define a function that
// the linker could share with the rest of the program.
// Plain arrays, because std::array would bring such functions. NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

namespace banzuke::spmv {

// Rows per SELL chunk: the lanes of the widest vectors.
inline constexpr int chunk = 8;
// Entries past the last one that the loops may read (columns in range, any values).
inline constexpr int overhang = 8;

// Entries of row i of a matrix: start[i] to start[i + 1].
struct CrsArrays {
  const std::int64_t* start;
  const std::int32_t* column;
  const double* value;
};

// Chunk i: entries start[i] to start[i + 1], eight rows side by side: 8 i to 8 i + 7, or, where rows are sorted within
// windows of `sigma` (a power of two), row[8 i] to row[8 i + 7] of the window.
struct SellArrays {
  const std::int64_t* start;
  const std::int32_t* column;
  const double* value;
  const std::uint16_t* row;  // null: not sorted
  std::int64_t sigma;
  // Instead of `column`, for chunks_near: columns counted from base[i] on.
  const std::uint16_t* offset;
  const std::int32_t* base;
};

inline constexpr std::int64_t most_sigma = 65536;

// Block row i: blocks start[i] to start[i + 1], each with its first column and its values column by column.
struct BcsrArrays {
  const std::int64_t* start;
  const std::int32_t* column;
  const double* value;
};

struct Shape {
  int rows;
  int columns;
};

struct Kernels {
  const char* name;
  // y of rows [begin, end).
  void (*rows)(const CrsArrays& a, std::int64_t begin, std::int64_t end, const double* x, double* y);
  // Sum over entries [begin, end), a part of a row.
  double (*part)(const CrsArrays& a, std::int64_t begin, std::int64_t end, const double* x);
  // y of chunks [begin, end), all of whose lanes are rows.
  void (*chunks)(const SellArrays& a, std::int64_t begin, std::int64_t end, const double* x, double* y);
  // The same for matrices larger than the caches.
  void (*chunks_once)(const SellArrays& a, std::int64_t begin, std::int64_t end, const double* x, double* y);
  // The same with columns of 16 bits.
  void (*chunks_near)(const SellArrays& a, std::int64_t begin, std::int64_t end, const double* x, double* y);
  // Copies with non-temporal stores if the instruction set and the alignment of `to` allow; visible to other threads
  // after fence().
  void (*copy_out)(double* to, const double* from, std::int64_t count);
  void (*fence)();
  // y of block rows [begin, end), all complete; by shape as in `shapes`.
  void (*blocks[3])(const BcsrArrays& a, std::int64_t begin, std::int64_t end, const double* x, double* y);
};

inline constexpr Shape shapes[] = {{2, 2}, {3, 3}, {4, 4}};

extern const Kernels plain_kernels;
extern const Kernels avx2_kernels;
extern const Kernels avx2_gather_kernels;
extern const Kernels avx512_kernels;
extern const Kernels avx512_gather_kernels;
extern const Kernels sve128_kernels;
extern const Kernels sve256_kernels;
extern const Kernels sve512_kernels;

}  // namespace banzuke::spmv

// NOLINTEND(modernize-avoid-c-arrays)
