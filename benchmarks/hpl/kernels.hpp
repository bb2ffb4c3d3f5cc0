// The panel factorisation's inner loops for one instruction set; each kernels_*.cpp is compiled for its own, and the
// program takes the widest that the processor runs. Included in code compiled for wider instructions, so nothing here
// may define a function that the linker could share with the rest of the program.
#pragma once

#include <cstdint>

namespace banzuke::hpl {

// The largest element of a column so far; the first of equal ones.
struct Candidate {
  double magnitude = -1.0;  // negative: none, or only NaN
  std::int64_t row = 0;
};

// Columns are `ld` apart; rows are [begin, end).
struct Kernels {
  const char* name;
  // Updates column l of a leaf (whose first column is `a`) with columns 0..l-1 and their row factors u[0..l-1]; column
  // l-1 is turned into multipliers in the same pass, by multiplication by `inverse`. Returns the largest element of
  // column l.
  Candidate (*advance)(double* a, std::int64_t ld, std::int64_t begin, std::int64_t end, int l, const double* u,
                       double inverse);
  // C(rows x n) := C - A(rows x k) U; U has rows of `ldu`.
  void (*subtract_product)(double* c, const double* a, std::int64_t ld, std::int64_t begin, std::int64_t end, int n,
                           int k, const double* u, std::int64_t ldu);
  // B(k x n) := L^-1 B with ones on L's diagonal; both have rows of `ld`.
  void (*solve)(double* b, const double* l, std::int64_t ld, int k, int n);
};

extern const Kernels plain_kernels;
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
extern const Kernels sve256_kernels;
extern const Kernels sve512_kernels;

}  // namespace banzuke::hpl
