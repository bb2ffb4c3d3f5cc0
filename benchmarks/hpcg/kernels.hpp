// The solver's inner loops for one instruction set; each kernels_*.cpp is compiled for its own, and the program takes
// the widest that the processor runs. Included in code compiled for wider instructions, so nothing here may define a
// function that the linker could share with the rest of the program.
#pragma once

#include <cstdint>

namespace banzuke::hpcg {

// `split`: lanes if the columns of each of the chunk's slots follow each other from the slot's base; less if those of
// the lanes from `split` on do so from a second base, each as if lane 0 did, too; 0 if they are apart: the base plus
// 16-bit offsets. What lies between is read, too.
struct Chunk {
  std::uint32_t slot;  // its first one among all; the next chunk's follow
  std::uint32_t more;  // its first one among those of its kind
  std::uint32_t split;
};

// Rows in chunks of `lanes`; a slot has one entry of each row of its chunk: `lanes` values, and their columns. Only
// slots with two bases have a second one, and only those whose columns are apart have offsets.
struct Entries {
  const Chunk* chunk;
  const std::int32_t* base;
  const std::int32_t* second;
  const std::uint16_t* offset;
  const double* value;
};

// Contributions of external rows: those of chunk c begin at sums[lanes * slot[c]]; a negative slot means none.
struct Outside {
  const std::int32_t* slot;
  const double* sums;
};

// The vectors of a forward sweep.
struct Sweep {
  const double* d;
  const double* r;
  const double* later;
  const double* correction;
  double* known;
};

// All operate on chunks [from, to), which are independent of each other; L holds the entries of earlier stages, U those
// of later ones, d the diagonal.
struct Kernels {
  const char* name;
  // x = (r - L x) / d: the forward sweep from x = 0.
  void (*forward_from_zero)(std::int64_t from, std::int64_t to, const Entries& l, const double* d, const double* r,
                            double* x);
  // later = U x; x = x - later / d: the backward sweep after it, in which r - L x is d times the x of the forward
  // sweep.
  void (*backward_from_zero)(std::int64_t from, std::int64_t to, const Entries& u, const double* d, double* later,
                             double* x);
  // known = r - L x - outside; x = (known - later - C correction) / d: a forward sweep, after x has been corrected at
  // the points of the coarse grid; C holds the entries of later stages at those points, by coarse place.
  void (*forward)(std::int64_t from, std::int64_t to, const Entries& l, const Entries& c, const Outside& outside,
                  const Sweep& sweep, double* x);
  // x = (known - U x) / d: the backward sweep after it, in which L x is unchanged.
  void (*backward)(std::int64_t from, std::int64_t to, const Entries& u, const double* d, const double* known,
                   double* x);
  // y = d x + L x + U x
  void (*multiply)(std::int64_t from, std::int64_t to, const Entries& l, const Entries& u, const double* d,
                   const double* x, double* y);
  // y = A x
  void (*sum)(std::int64_t from, std::int64_t to, const Entries& a, const double* x, double* y);

  // These take values [from, to), both multiples of `lanes`.
  double (*dot)(std::int64_t from, std::int64_t to, const double* x, const double* y);
  // y = x + beta y
  void (*scale_add)(std::int64_t from, std::int64_t to, double beta, const double* x, double* y);
  // x += alpha p; r -= alpha q
  void (*step)(std::int64_t from, std::int64_t to, double alpha, const double* p, const double* q, double* x,
               double* r);
};

extern const Kernels plain_kernels;
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
extern const Kernels sve256_kernels;
extern const Kernels sve512_kernels;

}  // namespace banzuke::hpcg
