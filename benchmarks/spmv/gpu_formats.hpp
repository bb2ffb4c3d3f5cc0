// A matrix on the device in our own formats.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/crs.hpp"
#include "gpu_launches.hpp"
#include "gpu_matrix.hpp"

namespace banzuke::spmv {

// Parts of rows with their entries.
class PartsOnDevice {
 public:
  PartsOnDevice(const Crs& matrix, const RowParts& made, const gpu::Stream& stream);
  DeviceParts pointers() const;

 private:
  gpu::DeviceBuffer<std::int64_t> start_;
  gpu::DeviceBuffer<std::int32_t> row_;
  gpu::DeviceBuffer<CutRow> cut_;
  mutable gpu::DeviceBuffer<std::int32_t> arrived_;
  mutable gpu::DeviceBuffer<double> partial_;
  gpu::DeviceBuffer<std::int32_t> column_;
  gpu::DeviceBuffer<double> value_;
};

class GpuFormat {
 public:
  GpuFormat() = default;
  virtual ~GpuFormat() = default;
  GpuFormat(const GpuFormat&) = delete;
  GpuFormat& operator=(const GpuFormat&) = delete;

  // The ways to compute the product; they differ only in time and rounding.
  virtual const std::vector<GpuWay>& ways() const = 0;
  virtual void queue(const GpuWay& way, gpu::DevicePointer<const double> x, gpu::DevicePointer<double> y,
                     const gpu::Stream& stream) const = 0;
  virtual std::string name(const GpuWay& way) const = 0;
  virtual double fill() const = 0;  // stored entries over non-zeros
};

// The largest fill with which SELL is tried if CSR is tried as well.
inline constexpr double most_tried_fill = 1.5;
// The formats that `format` allows: "csr", "sell", or "auto" for both. Throws UsageError if only SELL is allowed and
// would store more than three times the non-zeros.
std::vector<std::unique_ptr<GpuFormat>> own_formats(const Crs& matrix, const std::string& format,
                                                    const gpu::Stream& stream);

// Our own product, with the format and way that are fastest for the matrix when tried.
class GpuOwn {
 public:
  // `cache`: memory that is written to flush the device's caches.
  GpuOwn(const Crs& matrix, const std::string& format, const gpu::DeviceBuffer<double>& x, gpu::DeviceBuffer<double>& y,
         gpu::DeviceBuffer<std::byte>& cache, const gpu::Stream& stream);

  void queue() const { format_->queue(way_, x_, y_, stream_); }
  std::string format() const { return format_->name(way_); }
  double fill() const { return format_->fill(); }

 private:
  // Returns the seconds of a product; only roughly if it is far slower than `least`.
  double try_way(const GpuFormat& format, const GpuWay& way, double least) const;

  const gpu::Stream& stream_;
  gpu::DevicePointer<const double> x_;
  gpu::DevicePointer<double> y_;
  gpu::DeviceBuffer<std::byte>& cache_;
  std::unique_ptr<GpuFormat> format_;
  GpuWay way_;
};

}  // namespace banzuke::spmv
