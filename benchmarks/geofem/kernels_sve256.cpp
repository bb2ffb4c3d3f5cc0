#include "kernels_sve.hpp"

namespace banzuke::geofem {

const Kernels sve256_chunks = kernels<Sve, 8, Sve>("SVE, 256 bits");
const Kernels sve256_rows = kernels<Scalar, 1, Sve>("SVE, 256 bits, one block at a time");

}  // namespace banzuke::geofem
