// The check of a solution, which shares only the problem with the solver.
#pragma once

#include <span>
#include <vector>

#include "grid.hpp"
#include "matrix.hpp"

namespace banzuke::hpl {

// By local row: A x in my columns, then the sum of |A|, with A regenerated; O(n^2), nothing stored.
std::vector<double> row_sums(const Distribution& matrix, std::span<const double> x);

// The official check: max|b - A x| / (eps (||A|| ||x|| + ||b||) n) in infinity norms, eps = 2^-53, from these sums and
// regenerated b. `x`: the entries of my columns. The result is the same on every rank.
double residual(const Communicator& ranks, const Grid& grid, const Distribution& matrix, std::span<const double> x,
                std::vector<double> sums);

}  // namespace banzuke::hpl
