#pragma once

#include <string>
#include <vector>

#include "core/json.hpp"

namespace banzuke {

// DGEMM rate in flop/s of a BLAS library on the given processors, best of a few repetitions; the product is checked
// with random vectors. Throws std::runtime_error if the library cannot be used or its product is wrong.
Json measure_dgemm(const std::string& library, const std::vector<int>& cpus, int n);

// The same for C := C - A B with C of order n and inner extents k from 64 to 384, as in an LU update: `flop_rates` by
// k. All calls accumulate into one C, which is checked at the end, so that a single wrong call is detected.
Json measure_update(const std::string& library, const std::vector<int>& cpus, int n);

}  // namespace banzuke
