// Generated matrices: families that stand for the kinds of a collection, at any size. A matrix is a function of its
// family and size alone, whatever the number of threads. Rows are sorted by column, without duplicates. Values are
// uniform in [-0.5, 0.5), equal across the diagonal where the family is symmetric: the time of y = Ax does not depend
// on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/crs.hpp"

namespace banzuke::spmv {

const std::vector<std::string>& family_names();

// A matrix of about so many non-zeros; of the smallest size that the family has, where fewer are asked for. Throws
// UsageError where there is no such family, or where rows or columns would be more than 32-bit columns can number.
Crs generate(const std::string& family, std::int64_t nonzeros);

// Bytes that generate() takes at its peak; from above, and near. Throws as generate() does.
double footprint_of(const std::string& family, std::int64_t nonzeros);

}  // namespace banzuke::spmv
