// What this process has loaded.
#pragma once

#include <string>

namespace banzuke {

// Path of a library that a variable BANZUKE_... names and that is loaded, as the loader knows it; empty: there is none.
// The BLAS library tells its path itself.
std::string named_library();

}  // namespace banzuke
