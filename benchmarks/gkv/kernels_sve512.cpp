#include "kernels_sve.hpp"

namespace banzuke::gkv {

constinit const Kernels sve512_kernels = kernels<Sve>("SVE, 512 bits");

}  // namespace banzuke::gkv
