#include "core/gpu/blas.hpp"

#include "core/gpu/emulated/queue.hpp"

namespace banzuke::gpu {

struct Blas::Impl {
  const Stream& stream;
  std::string name = "loops of the emulated device";
  std::string path{};
};

Blas::Blas(const Stream& stream) : impl_(make_hidden<Impl>(Impl{.stream = stream})) {}

void Blas::dgemm(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, DevicePointer<const double> a,
                 std::int64_t lda, DevicePointer<const double> b, std::int64_t ldb, double beta,
                 DevicePointer<double> c, std::int64_t ldc, Transpose of_b) const {
  const std::int64_t down = of_b == Transpose::yes ? ldb : 1;
  const std::int64_t along = of_b == Transpose::yes ? 1 : ldb;
  emulated::queue(impl_->stream, [=] {
    const std::int64_t rows = m;  // what the innermost loop reads is its own: sanitizers check every load of others
    for (std::int64_t j = 0; j < n; ++j) {
      double* const to = c.address() + j * ldc;
      for (std::int64_t i = 0; i < rows; ++i) to[i] = beta == 0.0 ? 0.0 : beta * to[i];  // 0 discards even NaN
      for (std::int64_t l = 0; l < k; ++l) {
        const double factor = alpha * b.address()[l * down + j * along];
        const double* const from = a.address() + l * lda;
        for (std::int64_t i = 0; i < rows; ++i) to[i] += from[i] * factor;
      }
    }
  });
}

void Blas::solve_unit_upper(std::int64_t m, std::int64_t n, DevicePointer<const double> a, std::int64_t lda,
                            DevicePointer<double> b, std::int64_t ldb) const {
  emulated::queue(impl_->stream, [=] {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t l = 0; l < j; ++l) {
        const double factor = a.address()[l + j * lda];
        for (std::int64_t i = 0; i < m; ++i) b.address()[i + j * ldb] -= b.address()[i + l * ldb] * factor;
      }
    }
  });
}

void Blas::solve_unit_lower(std::int64_t m, std::int64_t n, DevicePointer<const double> a, std::int64_t lda,
                            DevicePointer<double> b, std::int64_t ldb) const {
  emulated::queue(impl_->stream, [=] {
    for (std::int64_t j = 0; j < n; ++j) {
      double* x = b.address() + j * ldb;
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t l = 0; l < i; ++l) x[i] -= a.address()[i + l * lda] * x[l];
      }
    }
  });
}

const std::string& Blas::name() const { return impl_->name; }
const std::string& Blas::path() const { return impl_->path; }

}  // namespace banzuke::gpu
