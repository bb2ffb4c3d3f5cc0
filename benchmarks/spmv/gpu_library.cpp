#include "gpu_library.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/gpu/timing.hpp"
#include "core/parameters.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

std::vector<std::int32_t> narrow(const std::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

// Refuses matrices that must have duplicate entries; cuSPARSE would report an invalid value.
void refuse_duplicates(const Crs& matrix) {
  if (matrix.nonzeros() / matrix.columns < matrix.rows || matrix.nonzeros() == matrix.rows * matrix.columns) return;
  throw UsageError("product: the library takes no matrix with more entries than places, and this one has " +
                   std::to_string(matrix.nonzeros()) + " in " + std::to_string(matrix.rows) + " x " +
                   std::to_string(matrix.columns) + ", some of them at the same place; product=own takes it");
}

}  // namespace

GpuSell library_sell(const Crs& matrix) {
  GpuSell sell = gpu_sell(matrix, sell_layout(matrix, 1));
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < std::ssize(sell.row); ++at) {
    const std::int64_t chunk = at / gpu_chunk;
    const std::int64_t entries =
        at < matrix.rows ? static_cast<std::int64_t>(matrix.columns_of(static_cast<std::int32_t>(at)).size()) : 0;
    for (std::int64_t k = sell.start[index(chunk)] + at % gpu_chunk + entries * gpu_chunk;
         k < sell.start[index(chunk + 1)]; k += gpu_chunk) {
      sell.column[index(k)] = -1;
    }
  }
  return sell;
}

GpuLibrary::GpuLibrary(const Crs& matrix, const gpu::DeviceBuffer<double>& x, gpu::DeviceBuffer<double>& y,
                       const gpu::Stream& stream)
    : stream_(stream), library_(stream), y_(y) {
  if (matrix.nonzeros() == 0) return;
  if (matrix.nonzeros() > most) {
    throw UsageError("product: the library is called with 32-bit numbers, and this matrix has " +
                     std::to_string(matrix.nonzeros()) + " non-zeros; product=own takes it");
  }
  refuse_duplicates(matrix);
  const gpu::SparseShape shape{matrix.rows, matrix.columns, matrix.nonzeros()};
  csr_ = Arrays{gpu::on_device(narrow(matrix.start), stream), gpu::on_device(matrix.column, stream),
                gpu::on_device(matrix.value, stream)};
  const gpu::SparseCsr csr{shape, csr_->start.data(), csr_->column.data(), csr_->value.data()};
  faster(library_.prepare(csr, gpu::CsrMethod::first, x.data(), y.data()), "csr, method 1");
  faster(library_.prepare(csr, gpu::CsrMethod::second, x.data(), y.data()), "csr, method 2");

  if (!gpu::Sparse::takes_sell()) return;
  // The library does not support an order of rows, so they cannot be sorted.
  const double fill = sell_layout(matrix, 1).fill;
  if (fill > most_fill || fill * static_cast<double>(matrix.nonzeros()) > static_cast<double>(most)) return;
  const GpuSell made = library_sell(matrix);
  sell_ = Arrays{gpu::on_device(narrow(made.start), stream), gpu::on_device(made.column, stream),
                 gpu::on_device(made.value, stream)};
  const gpu::SparseSell sell{shape,
                             gpu_chunk,
                             static_cast<std::int64_t>(made.value.size()),
                             sell_->start.data(),
                             sell_->column.data(),
                             sell_->value.data()};
  if (faster(library_.prepare(sell, x.data(), y.data()), "sell 32-1")) {
    csr_.reset();
    fill_ = fill;
  } else {
    sell_.reset();
  }
}

bool GpuLibrary::faster(std::unique_ptr<gpu::Sparse::Product> product, const std::string& format) {
  constexpr int tries = 10;
  const gpu::Timer timer(stream_);
  product->queue();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) {
    timer.start();
    product->queue();
    least = std::min(least, timer.stop());
  }
  if (product_ && least >= seconds_) return false;
  product_ = std::move(product);
  seconds_ = least;
  format_ = format;
  return true;
}

void GpuLibrary::queue() {
  if (product_) {
    product_->queue();
  } else {
    gpu::set_bytes(y_.data(), 0, y_.size(), stream_);
  }
}

}  // namespace banzuke::spmv
