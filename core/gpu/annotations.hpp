// Annotations of source that runs both on a device and on the processor.
#pragma once

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif

#if defined(__CUDACC__) || defined(__HIPCC__)
#define BANZUKE_GPU __device__
#define BANZUKE_UNROLL _Pragma("unroll")
#define BANZUKE_ON_GPU 1  // also in the host pass, where Clang checks device functions as well
#else
#define BANZUKE_GPU
#define BANZUKE_UNROLL
#define BANZUKE_ON_GPU 0  // NOLINT(modernize-macro-to-enum): for the preprocessor
#endif
