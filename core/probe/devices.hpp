// The accelerators of this host: NVIDIA's as reported by their driver, AMD's from the files of the kernel's driver.
#pragma once

#include <filesystem>

#include "core/json.hpp"

namespace banzuke {

// {"driver", "cuda", "problem", "devices": [...]}: `problem` says why NVIDIA's driver reports nothing. Units are SI;
// unknown values are left out. `root`: root of the kernel's files.
Json devices(const std::filesystem::path& root);

}  // namespace banzuke
