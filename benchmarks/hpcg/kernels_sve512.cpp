#include "kernels_sve.hpp"

namespace banzuke::hpcg {

constinit const Kernels sve512_kernels = Loops<Sve>::kernels("SVE, 512 bits");

}  // namespace banzuke::hpcg
