#include "core/gpu/sparse.hpp"

#ifdef BANZUKE_HIP
#include "core/gpu/rocsparse.hpp"
#else
#include "core/gpu/cusparse.hpp"
#endif

namespace banzuke::gpu {

#ifdef BANZUKE_HIP
namespace sparse_vendor = rocsparse;
#else
namespace sparse_vendor = cusparse;
#endif

struct Sparse::Impl : sparse_vendor::Opened {
  using Opened::Opened;
};

Sparse::Sparse(const Stream& stream) : impl_(std::make_unique<Impl>(stream)) {}
Sparse::~Sparse() = default;

bool Sparse::takes_sell() { return sparse_vendor::takes_sell; }

std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseCsr& matrix, CsrMethod method,
                                                 DevicePointer<const double> x, DevicePointer<double> y) const {
  return impl_->prepare(matrix, method, x, y);
}

std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseSell& matrix, DevicePointer<const double> x,
                                                 DevicePointer<double> y) const {
  return impl_->prepare(matrix, x, y);
}

const std::string& Sparse::name() const { return impl_->name(); }
const std::string& Sparse::path() const { return impl_->path(); }

}  // namespace banzuke::gpu
