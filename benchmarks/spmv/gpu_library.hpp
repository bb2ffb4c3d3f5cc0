// The product of the vendor's library, by whichever of its methods is the fastest for the matrix.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/crs.hpp"
#include "core/gpu/sparse.hpp"
#include "gpu_formats.hpp"

namespace banzuke::spmv {

// SELL as the library wants it: rows in their own order, and the column -1 where there is no entry.
GpuSell library_sell(const Crs& matrix);

class GpuLibrary {
 public:
  // Copies the matrix to the device and tries CSR by both of the library's methods, and SELL where it is not stored
  // many times over. Throws UsageError where 32 bits do not count the non-zeros, gpu::Error where there is no library.
  GpuLibrary(const Crs& matrix, const gpu::DeviceBuffer<double>& x, gpu::DeviceBuffer<double>& y,
             const gpu::Stream& stream);

  void queue();
  const std::string& format() const { return format_; }  // the fastest: "csr, method 2"
  double fill() const { return fill_; }
  const std::string& name() const { return library_.name(); }
  const std::string& path() const { return library_.path(); }

 private:
  struct Arrays {
    gpu::DeviceBuffer<std::int32_t> start, column;
    gpu::DeviceBuffer<double> value;
  };

  // Keeps it if it is faster than what there is.
  bool faster(std::unique_ptr<gpu::Sparse::Product> product, const std::string& format);

  const gpu::Stream& stream_;
  gpu::Sparse library_;
  gpu::DeviceBuffer<double>& y_;
  std::optional<Arrays> csr_, sell_;
  std::unique_ptr<gpu::Sparse::Product> product_;  // null: there are no entries
  double seconds_ = 0.0;
  double fill_ = 1.0;
  std::string format_ = "nothing";
};

}  // namespace banzuke::spmv
