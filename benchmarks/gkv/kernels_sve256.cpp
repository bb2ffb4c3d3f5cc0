#include "kernels_sve.hpp"

namespace banzuke::gkv {

constinit const Kernels sve256_kernels = kernels<Sve>("SVE, 256 bits");

}  // namespace banzuke::gkv
