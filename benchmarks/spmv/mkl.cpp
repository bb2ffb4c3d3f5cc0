#include "core/parameters.hpp"
#include "mkl_sparse.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {

struct Spmv::Impl {
  explicit Impl(const Crs& crs) : matrix(crs) {}

  MklSparse matrix;
  std::string format = "MKL's own";
};

Spmv::Spmv(const Crs& matrix, const std::string& format) {
  if (format != "auto") {
    throw UsageError("format: MKL chooses its own, so only auto is left, not " + format);
  }
  impl_ = make_hidden<Impl>(matrix);
}

void Spmv::run(const double* x, double* y) { impl_->matrix.run(x, y); }
const std::string& Spmv::format() const { return impl_->format; }
double Spmv::fill() const { return -1.0; }
const std::string& Spmv::method() const { return impl_->matrix.library(); }

}  // namespace banzuke::spmv
