#include "core/gpu/sparse.hpp"

#include "core/gpu/emulated/queue.hpp"

namespace banzuke::gpu {

struct Sparse::Impl {
  const Stream& stream;
  std::string name = "loops of the emulated device";
  std::string path{};
};

namespace {

void multiply(const SparseCsr& matrix, DevicePointer<const double> x, DevicePointer<double> y) {
  for (std::int64_t row = 0; row < matrix.shape.rows; ++row) {
    double sum = 0.0;
    for (std::int32_t k = matrix.start.address()[row]; k < matrix.start.address()[row + 1]; ++k) {
      sum += matrix.value.address()[k] * x.address()[matrix.column.address()[k]];
    }
    y.address()[row] = sum;
  }
}

void multiply(const SparseSell& matrix, DevicePointer<const double> x, DevicePointer<double> y) {
  for (std::int64_t row = 0; row < matrix.shape.rows; ++row) {
    const std::int64_t chunk = row / matrix.height;
    double sum = 0.0;
    for (std::int64_t k = matrix.start.address()[chunk] + row % matrix.height; k < matrix.start.address()[chunk + 1];
         k += matrix.height) {
      const std::int32_t column = matrix.column.address()[k];
      if (column >= 0) sum += matrix.value.address()[k] * x.address()[column];
    }
    y.address()[row] = sum;
  }
}

template <class Matrix>
class Loops : public Sparse::Product {
 public:
  Loops(const Stream& stream, const Matrix& matrix, DevicePointer<const double> x, DevicePointer<double> y)
      : stream_(stream), matrix_(matrix), x_(x), y_(y) {}

  void queue() const override {
    emulated::queue(stream_, [matrix = matrix_, x = x_, y = y_] { multiply(matrix, x, y); });
  }

 private:
  const Stream& stream_;
  Matrix matrix_;
  DevicePointer<const double> x_;
  DevicePointer<double> y_;
};

}  // namespace

Sparse::Sparse(const Stream& stream) : impl_(std::make_unique<Impl>(Impl{.stream = stream})) {}
Sparse::~Sparse() = default;

bool Sparse::takes_sell() { return true; }

std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseCsr& matrix, CsrMethod, DevicePointer<const double> x,
                                                 DevicePointer<double> y) const {
  return std::make_unique<Loops<SparseCsr>>(impl_->stream, matrix, x, y);
}
std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseSell& matrix, DevicePointer<const double> x,
                                                 DevicePointer<double> y) const {
  return std::make_unique<Loops<SparseSell>>(impl_->stream, matrix, x, y);
}

const std::string& Sparse::name() const { return impl_->name; }
const std::string& Sparse::path() const { return impl_->path; }

}  // namespace banzuke::gpu
