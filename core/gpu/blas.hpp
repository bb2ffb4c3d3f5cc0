// Dense algebra on a device by its vendor's library, loaded at run time: cuBLAS or rocBLAS. Of the emulated device
// plain loops stand for it.
#pragma once

#include <cstdint>
#include <string>

#include "core/gpu/runtime.hpp"
#include "core/hidden.hpp"

namespace banzuke::gpu {

class Blas {
 public:
  // For calls in this stream. The library is the one that BANZUKE_CUBLAS or BANZUKE_ROCBLAS names, else the loader's.
  // Throws Error with the loader's or the library's words.
  explicit Blas(const Stream& stream);

  // Queues C := alpha A B + beta C; column-major; A is m x k, B is k x n. Extents and leading dimensions are below
  // 2^31.
  void dgemm(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, DevicePointer<const double> a,
             std::int64_t lda, DevicePointer<const double> b, std::int64_t ldb, double beta, DevicePointer<double> c,
             std::int64_t ldc) const;

  const std::string& name() const;  // "cuBLAS 13.0.2"
  const std::string& path() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::gpu
