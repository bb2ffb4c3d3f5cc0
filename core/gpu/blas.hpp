// Dense algebra on a device by its vendor's library, loaded at run time: cuBLAS or rocBLAS. The emulated device uses
// plain loops instead.
#pragma once

#include <cstdint>
#include <string>

#include "core/gpu/runtime.hpp"
#include "core/hidden.hpp"

namespace banzuke::gpu {

enum class Transpose { no, yes };

class Blas {
 public:
  // Prepares calls in this stream. The library is the one that BANZUKE_CUBLAS or BANZUKE_ROCBLAS names, else the one
  // that the loader finds. Throws Error with the loader's or the library's message.
  explicit Blas(const Stream& stream);

  // Queues C := alpha A B + beta C; column-major; A is m x k, B is k x n, stored as n x k if it is transposed. Extents
  // and leading dimensions are below 2^31.
  void dgemm(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, DevicePointer<const double> a,
             std::int64_t lda, DevicePointer<const double> b, std::int64_t ldb, double beta, DevicePointer<double> c,
             std::int64_t ldc, Transpose of_b = Transpose::no) const;
  // Queues B := B A^-1; column-major; A is n x n and unit upper triangular, B is m x n.
  void solve_unit_upper(std::int64_t m, std::int64_t n, DevicePointer<const double> a, std::int64_t lda,
                        DevicePointer<double> b, std::int64_t ldb) const;
  // Queues B := A^-1 B; column-major; A is m x m and unit lower triangular, B is m x n.
  void solve_unit_lower(std::int64_t m, std::int64_t n, DevicePointer<const double> a, std::int64_t lda,
                        DevicePointer<double> b, std::int64_t ldb) const;

  const std::string& name() const;  // "cuBLAS 13.0.2"
  const std::string& path() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::gpu
