// Libraries that this process has loaded.
#pragma once

#include <string>

namespace banzuke {

// Returns the path, as the loader knows it, of a loaded library that a variable BANZUKE_... names; empty if there is
// none. The BLAS library reports its own path.
std::string named_library();

}  // namespace banzuke
