#include "kernels_sve.hpp"

namespace banzuke::geofem {

const Kernels sve512_chunks = kernels<Sve, 8, Sve>("SVE, 512 bits");
const Kernels sve512_rows = kernels<Scalar, 1, Sve>("SVE, 512 bits, one block at a time");

}  // namespace banzuke::geofem
