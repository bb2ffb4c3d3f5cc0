#pragma once

#include <string>
#include <vector>

#include "core/json.hpp"

namespace banzuke {

// DGEMM rate of a BLAS library on the given processors in flop/s, best of a few repetitions, with the product
// checked against random vectors. Throws std::runtime_error when the library cannot be used or its product is
// wrong.
Json measure_dgemm(const std::string& library, const std::vector<int>& cpus, int n);

}  // namespace banzuke
