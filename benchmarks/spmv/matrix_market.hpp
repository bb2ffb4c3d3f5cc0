// Matrix Market files (math.nist.gov/MatrixMarket/formats.html): "coordinate" matrices, real, integer or pattern (read
// as ones), general, symmetric or skew-symmetric (both triangles are stored); gzip's are known by their content and go
// through the system's `gzip`. Duplicates are added up, explicit zeros stay.
#pragma once

#include <string>

#include "core/crs.hpp"

namespace banzuke::spmv {

// Rows sorted by column. Throws std::runtime_error, "FILE:LINE: what is wrong". No more memory than in proportion to
// what the file really holds, whatever its header says.
Crs read_matrix_market(const std::string& path);

// Bytes that read_matrix_market() takes at its peak, by the file's header alone. Throws as it does.
double footprint_of_file(const std::string& path);

}  // namespace banzuke::spmv
