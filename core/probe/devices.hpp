// The accelerators of this host: NVIDIA's as their driver tells them, AMD's by the files of the kernel's driver.
#pragma once

#include <filesystem>

#include "core/json.hpp"

namespace banzuke {

// {"driver", "cuda", "problem", "devices": [...]}: `problem` says why NVIDIA's driver tells nothing. Units are SI; what
// is not known is left out. `root`: of the kernel's files.
Json devices(const std::filesystem::path& root);

}  // namespace banzuke
