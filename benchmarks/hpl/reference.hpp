// The check of a solution, which shares with the solver nothing but the problem.
#pragma once

#include <vector>

#include "grid.hpp"
#include "matrix.hpp"

namespace banzuke::hpl {

// The official check: max|b - A x| / (eps (||A|| ||x|| + ||b||) n) in infinity norms, eps = 2^-53, with A and b
// generated again; O(n^2), nothing stored. `x`: the entries of my columns. The same on every rank.
double residual(const Communicator& ranks, const Grid& grid, const Matrix& matrix, const std::vector<double>& x);

}  // namespace banzuke::hpl
