#include "kernels_sve.hpp"

namespace banzuke::hpcg {

constinit const Kernels sve256_kernels = Loops<Sve>::kernels("SVE, 256 bits");

}  // namespace banzuke::hpcg
