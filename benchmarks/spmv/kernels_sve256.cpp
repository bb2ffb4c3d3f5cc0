#include "kernels_sve.hpp"

namespace banzuke::spmv {

const Kernels sve256_kernels = vector_kernels<Sve>();

}  // namespace banzuke::spmv
