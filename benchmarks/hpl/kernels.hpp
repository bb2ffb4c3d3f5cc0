// The panel factorisation's inner loops for one instruction set; kernels_*.cpp are compiled for theirs, and the program
// takes the widest that the processor runs. Included where wider instructions are allowed, so nothing here may bring a
// function that the linker could share with the rest of the program.
#pragma once

#include <cstdint>

namespace banzuke::hpl {

// The largest element of a column so far; of equal ones the first.
struct Candidate {
  double magnitude = -1.0;  // negative: none, or only NaN
  std::int64_t row = 0;
};

// Columns lie `ld` apart; rows run from `begin` to `end`.
struct Kernels {
  const char* name;
  // Column l of a leaf (whose first column is `a`) gets what columns 0..l-1 and their row factors u[0..l-1] do to it;
  // column l-1 becomes multipliers on the way: it is multiplied by `inverse`. Returns the largest of column l.
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

// The widest that this processor runs.
const Kernels& widest_kernels();

}  // namespace banzuke::hpl
