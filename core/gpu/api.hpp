// One set of names for the runtime that this is compiled for: GPU(Malloc) is cudaMalloc or hipMalloc.
#pragma once

#ifdef BANZUKE_HIP
#include <hip/hip_runtime_api.h>
#define GPU(name) hip##name
#else
#include <cuda_runtime_api.h>
#define GPU(name) cuda##name
#endif
