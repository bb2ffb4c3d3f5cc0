// SpMV on a device by our own kernels, or by the vendor's library.

#include <optional>

#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "gpu_launches.hpp"
#include "gpu_library.hpp"
#include "gpu_matrix.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {

const std::vector<std::string>& formats() {
  static const std::vector<std::string> names{"auto", "merge", "sell"};
  return names;
}
bool offers_library() { return true; }

Problem problem(const Params& params, int ranks) {
  const bool library = params.product == "library";
  if (library && params.format != "auto") {
    throw UsageError("format=" + params.format + " is one of our own, and product=library calls the library",
                     {{{"format", "auto"}}});
  }
  const double made = footprint_of_matrix(params, ranks);
  constexpr double usual_fill = 1.25;
  // The library's are tried, so that CSR and SELL are on the device at once.
  const double fill = library ? 1.0 + most_fill : params.format == "sell" ? most_fill : usual_fill;
  return {.footprint = gpu::host_footprint + 2.0 * made, .device_footprint = made * fill};
}

namespace {

class Sell {
 public:
  Sell(const GpuSell& made, const gpu::Stream& stream)
      : start_(on_device(made.start, stream)),
        row_(on_device(made.row, stream)),
        column_(on_device(made.column, stream)),
        value_(on_device(made.value, stream)) {}

  DeviceSell pointers() const {
    return {static_cast<std::int64_t>(row_.size()), start_.data(), row_.data(), column_.data(), value_.data()};
  }
  std::int64_t stored() const { return static_cast<std::int64_t>(value_.size()); }

 private:
  gpu::DeviceBuffer<std::int64_t> start_;
  gpu::DeviceBuffer<std::int32_t> row_, column_;
  gpu::DeviceBuffer<double> value_;
};

class Merge {
 public:
  Merge(const Crs& matrix, const gpu::Stream& stream)
      : rows_(matrix.rows),
        tile_row_(on_device(merge_tiles(matrix), stream)),
        start_(on_device(matrix.start, stream)),
        column_(on_device(matrix.column, stream)),
        value_(on_device(matrix.value, stream)) {}

  DeviceMerge pointers() const {
    return {
        rows_,          stored(),     static_cast<std::int64_t>(tile_row_.size()) - 1, tile_row_.data(), start_.data(),
        column_.data(), value_.data()};
  }
  std::int64_t stored() const { return static_cast<std::int64_t>(value_.size()); }

 private:
  std::int64_t rows_;
  gpu::DeviceBuffer<std::int32_t> tile_row_;
  gpu::DeviceBuffer<std::int64_t> start_;
  gpu::DeviceBuffer<std::int32_t> column_;
  gpu::DeviceBuffer<double> value_;
};

}  // namespace

struct Spmv::Impl {
  Impl(const Crs& matrix, const GpuChoice& choice)
      : name(choice.format),
        nonzeros(matrix.nonzeros()),
        x(static_cast<std::size_t>(matrix.columns)),
        y(static_cast<std::size_t>(matrix.rows)),
        cache(2 * device.l2_cache) {
    gpu::set_bytes(y.data(), 0xFF, y.size(), stream);  // NaN, so that a row left out is seen
    if (choice.format == "library") {
      library.emplace(matrix, x, y, stream);
      name = library->format();
      method = library->name();
    } else if (choice.format == "sell") {
      sell.emplace(gpu_sell(matrix, choice.sigma), stream);
      name.append(" ").append(std::to_string(gpu_chunk)).append("-").append(std::to_string(choice.sigma));
    } else {
      merge.emplace(matrix, stream);
    }
  }

  void product() {
    if (library) {
      library->queue();
    } else if (sell) {
      launch(sell->pointers(), x.data(), y.data(), stream);
    } else if (merge) {
      launch(merge->pointers(), x.data(), y.data(), stream);
    }
  }

  gpu::DeviceInfo device = gpu::use_given();
  gpu::Stream stream;
  gpu::Timer timer{stream};
  std::string name;
  std::string method = gpu::platform();
  std::int64_t nonzeros;
  gpu::DeviceBuffer<double> x, y;
  gpu::DeviceBuffer<std::byte> cache;
  std::optional<Sell> sell;
  std::optional<Merge> merge;
  std::optional<GpuLibrary> library;
};

Spmv::Spmv(const Crs& matrix, const std::string& format)
    : impl_(make_hidden<Impl>(matrix, format == "library" ? GpuChoice{.format = format} : gpu_choose(matrix, format))) {
}

void Spmv::load(std::span<const double> x) { gpu::upload(impl_->x, x, impl_->stream); }
void Spmv::store(std::span<double> y) const { gpu::download(y, impl_->y, impl_->stream); }

double Spmv::run(int products) {
  impl_->timer.start();
  for (int i = 0; i < products; ++i) impl_->product();
  return impl_->timer.stop();
}

void Spmv::clear_caches() {
  gpu::set_bytes(impl_->cache.data(), 0, impl_->cache.size(), impl_->stream);
  impl_->stream.wait();
}

const std::string& Spmv::format() const { return impl_->name; }
double Spmv::fill() const {
  if (impl_->library) return impl_->library->fill();
  const auto stored = impl_->sell ? impl_->sell->stored() : impl_->merge ? impl_->merge->stored() : 0;
  return impl_->nonzeros == 0 ? 1.0 : static_cast<double>(stored) / static_cast<double>(impl_->nonzeros);
}
const std::string& Spmv::method() const { return impl_->method; }

Json::Object Spmv::software() const {
  const std::string path = impl_->library ? impl_->library->path() : "";
  return path.empty() ? Json::Object{} : Json::Object{{"library_path", path}};
}
Json::Object Spmv::conditions() const {
  return {{"device", impl_->device.name}, {"l2_cache", static_cast<std::int64_t>(impl_->device.l2_cache)}};
}
std::vector<Verification> Spmv::checks() const { return gpu::clock_checks(impl_->stream); }

}  // namespace banzuke::spmv
