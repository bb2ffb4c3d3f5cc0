// Chooses the inner loops for this processor.
#pragma once

#include <vector>

#include "kernels.hpp"

namespace banzuke::spmv {

// All kernels that this processor can run.
std::vector<const Kernels*> available_kernels();

// The widest kernels, with the faster way to gather on this processor, determined once within a millisecond.
const Kernels& fastest_kernels();

}  // namespace banzuke::spmv
