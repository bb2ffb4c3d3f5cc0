#include "core/gpu/sparse.hpp"

namespace banzuke::gpu {

struct Sparse::Impl {
  std::string name = "loops of the emulated device";
  std::string path{};
};

namespace {

class CsrLoops : public Sparse::Product {
 public:
  CsrLoops(const SparseCsr& matrix, DevicePointer<const double> x, DevicePointer<double> y)
      : matrix_(matrix), x_(x), y_(y) {}

  void queue() const override {
    for (std::int64_t row = 0; row < matrix_.shape.rows; ++row) {
      double sum = 0.0;
      for (std::int32_t k = matrix_.start.address()[row]; k < matrix_.start.address()[row + 1]; ++k) {
        sum += matrix_.value.address()[k] * x_.address()[matrix_.column.address()[k]];
      }
      y_.address()[row] = sum;
    }
  }

 private:
  SparseCsr matrix_;
  DevicePointer<const double> x_;
  DevicePointer<double> y_;
};

class SellLoops : public Sparse::Product {
 public:
  SellLoops(const SparseSell& matrix, DevicePointer<const double> x, DevicePointer<double> y)
      : matrix_(matrix), x_(x), y_(y) {}

  void queue() const override {
    for (std::int64_t row = 0; row < matrix_.shape.rows; ++row) {
      const std::int64_t chunk = row / matrix_.height;
      double sum = 0.0;
      for (std::int64_t k = matrix_.start.address()[chunk] + row % matrix_.height;
           k < matrix_.start.address()[chunk + 1]; k += matrix_.height) {
        const std::int32_t column = matrix_.column.address()[k];
        if (column >= 0) sum += matrix_.value.address()[k] * x_.address()[column];
      }
      y_.address()[row] = sum;
    }
  }

 private:
  SparseSell matrix_;
  DevicePointer<const double> x_;
  DevicePointer<double> y_;
};

}  // namespace

Sparse::Sparse(const Stream&) : impl_(std::make_unique<Impl>()) {}
Sparse::~Sparse() = default;

std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseCsr& matrix, CsrMethod, DevicePointer<const double> x,
                                                 DevicePointer<double> y) const {
  return std::make_unique<CsrLoops>(matrix, x, y);
}
std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseSell& matrix, DevicePointer<const double> x,
                                                 DevicePointer<double> y) const {
  return std::make_unique<SellLoops>(matrix, x, y);
}

const std::string& Sparse::name() const { return impl_->name; }
const std::string& Sparse::path() const { return impl_->path; }

}  // namespace banzuke::gpu
