#pragma once

#include <vector>

#include "kernels.hpp"

namespace banzuke::gkv {

// The widest that this processor runs.
const Kernels& widest_kernels();
// All that it runs.
std::vector<const Kernels*> available_kernels();

}  // namespace banzuke::gkv
