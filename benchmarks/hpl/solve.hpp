// The final triangular solve.
#pragma once

#include <vector>

#include "grid.hpp"
#include "store.hpp"

namespace banzuke::hpl {

// Solves U x = y, where the matrix holds U and, in column n, y. A rank gets the entries of its own columns. Each block
// takes one sum along a process row and one message down a process column.
std::vector<double> back_substitute(const Grid& grid, Store& store);

}  // namespace banzuke::hpl
