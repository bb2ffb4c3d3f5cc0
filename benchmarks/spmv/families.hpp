// Generated matrices: families that represent the kinds of matrices of a collection, at any size. A matrix depends only
// on family and size, not on the number of threads. Rows are sorted by column, without duplicates. Values are uniform
// in [-0.5, 0.5), symmetric if the family is: the time of y = Ax does not depend on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/crs.hpp"

namespace banzuke::spmv {

const std::vector<std::string>& family_names();

// Returns a matrix of about `nonzeros` non-zeros, or the family's smallest if fewer are requested. Throws UsageError if
// there is no such family, or if rows or columns would exceed 32-bit indices.
Crs generate(const std::string& family, std::int64_t nonzeros);

// Returns a tight upper bound of the peak bytes of generate(). Throws as generate() does.
double footprint_of(const std::string& family, std::int64_t nonzeros);

}  // namespace banzuke::spmv
