#pragma once

#include <vector>

#include "kernels.hpp"

namespace banzuke::hpl {

// The widest kernels that this processor can run.
const Kernels& widest_kernels();
// All that it can run.
std::vector<const Kernels*> available_kernels();

}  // namespace banzuke::hpl
