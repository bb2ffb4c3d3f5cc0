// Which of the inner loops this processor is given.
#pragma once

#include <vector>

#include "kernels.hpp"

namespace banzuke::spmv {

// All that this processor runs.
std::vector<const Kernels*> available_kernels();

// The widest, with gathers by whatever is faster on this processor: tried once, within a millisecond.
const Kernels& fastest_kernels();

}  // namespace banzuke::spmv
