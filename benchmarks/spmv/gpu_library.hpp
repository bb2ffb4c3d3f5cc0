// The vendor library's product, with its fastest method for the matrix.
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

// SELL in the library's format: rows in their original order, and column -1 for padding.
GpuSell library_sell(const Crs& matrix);

class GpuLibrary {
 public:
  // Copies the matrix to the device and tries CSR with both of the library's methods, and SELL unless its fill is
  // large. Throws UsageError if the number of non-zeros exceeds 32 bits, gpu::Error if there is no library.
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

  // Keeps the product if it is faster than the current one.
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
