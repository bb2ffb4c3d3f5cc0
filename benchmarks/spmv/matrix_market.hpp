// Matrix Market files (math.nist.gov/MatrixMarket/formats.html): "coordinate" matrices, real, integer or pattern (read
// as ones), general, symmetric or skew-symmetric (both triangles are stored); gzip files are recognised by their
// content and piped through the system's `gzip`. Duplicates are summed, explicit zeros stay.
#pragma once

#include <string>

#include "core/crs.hpp"

namespace banzuke::spmv {

// Reads a file; rows are sorted by column. Throws std::runtime_error, "FILE:LINE: what is wrong". Memory is
// proportional to what the file really contains, whatever its header says.
Crs read_matrix_market(const std::string& path);

// Returns the peak bytes of read_matrix_market(), from the file's header alone. Throws as that does.
double footprint_of_file(const std::string& path);

}  // namespace banzuke::spmv
