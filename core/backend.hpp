// Says which of a benchmark's programs this is. All share one main.cpp, compiled once; backend.cpp is compiled for
// each.
#pragma once

namespace banzuke {

extern const char* const backend_name;
extern const char* const backend_devices;  // vendor of the devices that it drives: "NVIDIA"; empty: none

}  // namespace banzuke
