#pragma once

#include <string>
#include <vector>

#include "kernels.hpp"

namespace banzuke::geofem {

// The widest kernels for a format, blocked or crs, that this processor can run.
const Kernels& widest_kernels(const std::string& format);
// All that it can run, for both formats.
std::vector<const Kernels*> available_kernels();

}  // namespace banzuke::geofem
