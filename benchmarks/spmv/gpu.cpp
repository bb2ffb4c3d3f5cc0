// SpMV on a device by our own kernels, or by the vendor's library.

#include <optional>

#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "gpu_formats.hpp"
#include "gpu_library.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {

const std::vector<std::string>& formats() {
  static const std::vector<std::string> names{"auto", "csr", "sell"};
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
  // If formats are tried, both CSR and SELL are on the device.
  const double fill = library                   ? 1.0 + most_fill
                      : params.format == "auto" ? 1.0 + most_tried_fill
                      : params.format == "sell" ? most_fill
                                                : 1.0;
  return {.footprint = gpu::host_footprint + 2.0 * made, .device_footprint = made * fill};
}

struct Spmv::Impl {
  Impl(const Crs& matrix, const std::string& asked)
      : x(static_cast<std::size_t>(matrix.columns)),
        y(static_cast<std::size_t>(matrix.rows)),
        cache(2 * device.l2_cache) {
    gpu::set_bytes(x.data(), 0, x.size(), stream);
    if (asked == "library") {
      library.emplace(matrix, x, y, stream);
      format = library->format();
      method = library->name();
    } else {
      own.emplace(matrix, asked, x, y, cache, stream);
      format = own->format();
    }
    gpu::set_bytes(y.data(), 0xFF, y.size(), stream);  // NaN, so that the check finds rows that were left out
  }

  void product() {
    if (library) {
      library->queue();
    } else if (own) {
      own->queue();
    }
  }

  gpu::DeviceInfo device = gpu::use_given();
  gpu::Stream stream;
  gpu::Timer timer{stream};
  std::string format;
  std::string method = gpu::platform();
  gpu::DeviceBuffer<double> x, y;
  gpu::DeviceBuffer<std::byte> cache;
  std::optional<GpuOwn> own;
  std::optional<GpuLibrary> library;
};

Spmv::Spmv(const Crs& matrix, const std::string& format) : impl_(make_hidden<Impl>(matrix, format)) {}

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

const std::string& Spmv::format() const { return impl_->format; }
double Spmv::fill() const { return impl_->library ? impl_->library->fill() : impl_->own ? impl_->own->fill() : 1.0; }
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
