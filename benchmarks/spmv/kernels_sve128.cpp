#include "kernels_sve.hpp"

namespace banzuke::spmv {

const Kernels sve128_kernels = vector_kernels<Sve>();

}  // namespace banzuke::spmv
