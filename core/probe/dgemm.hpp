#pragma once

#include <string>
#include <vector>

#include "core/json.hpp"

namespace banzuke {

// DGEMM rate of a BLAS library on the given processors in flop/s, best of a few repetitions, with the product
// checked against random vectors. Throws std::runtime_error when the library cannot be used or its product is
// wrong.
Json measure_dgemm(const std::string& library, const std::vector<int>& cpus, int n);

// The same of C := C - A B with C of order n and inner extents k from 64 to 384, an LU's update: `flop_rates` by k. All
// calls add to one C, which is checked at the end, so that one wrong call among them shows.
Json measure_update(const std::string& library, const std::vector<int>& cpus, int n);

}  // namespace banzuke
