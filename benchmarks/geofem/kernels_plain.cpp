#include "kernels_vector.hpp"

namespace banzuke::geofem {

// Vectors of two doubles, which every x86-64 and AArch64 processor has.
const Kernels plain_chunks = kernels<Pair, 8, Pair>("two lanes");
const Kernels plain_rows = kernels<Scalar, 1, Pair>("two lanes, one block at a time");

}  // namespace banzuke::geofem
