// STREAM on a device: CUDA, HIP, and the emulated device of the tests.

#include <algorithm>

#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "gpu_launches.hpp"
#include "stream.hpp"

namespace banzuke::stream {

void declare(Parameters& parameters, Params& params) { declare_sizes(parameters, params); }

Problem problem(const Params& params, int /*ranks*/) {
  return {.footprint = gpu::host_footprint, .device_footprint = footprint(params)};
}

struct Stream::Impl {
  explicit Impl(const Params& params)
      : device(gpu::use_given()),
        n(static_cast<std::size_t>(params.n)),
        blocks(dot_blocks(params.n, device.multiprocessors)),
        a(n),
        b(n),
        c(n),
        sums(static_cast<std::size_t>(blocks)) {}

  DeviceArrays arrays() { return {static_cast<std::int64_t>(n), a.data(), b.data(), c.data()}; }

  gpu::DeviceInfo device;
  std::size_t n;
  std::int64_t blocks;
  gpu::Stream stream;
  gpu::Timer timer{stream};
  gpu::DeviceBuffer<double> a, b, c;
  gpu::PinnedBuffer<double> sums;
};

Stream::Stream(const Params& params) : impl_(make_hidden<Impl>(params)) {
  launch_fill(impl_->arrays(), impl_->stream);
  impl_->stream.wait();
}

void Stream::calibrate() {
  launch_calibration(impl_->arrays(), impl_->stream);
  impl_->stream.wait();
}

double Stream::run(Kernel kernel) {
  impl_->timer.start();
  launch(kernel, impl_->arrays(), impl_->sums.data(), impl_->blocks, impl_->stream);
  return impl_->timer.stop();
}

double Stream::dot() const {
  double sum = 0.0;
  for (const double part : impl_->sums.span()) sum += part;
  return sum;
}

void Stream::read(std::size_t array, const Piece& piece) const {
  constexpr std::size_t most = std::size_t{1} << 23U;
  const std::array<const gpu::DeviceBuffer<double>*, 3> arrays{&impl_->a, &impl_->b, &impl_->c};
  gpu::PinnedBuffer<double> part(std::min(impl_->n, most));
  for (std::size_t first = 0; first < impl_->n; first += most) {
    const std::size_t length = std::min(most, impl_->n - first);
    gpu::copy(part.data(), arrays[array]->data() + static_cast<std::int64_t>(first), length, impl_->stream);
    impl_->stream.wait();
    piece(part.span().first(length));
  }
}

Json::Object Stream::conditions() const {
  return {{"method", gpu::platform()},
          {"device", impl_->device.name},
          {"l2_cache", static_cast<std::int64_t>(impl_->device.l2_cache)}};
}

std::vector<Verification> Stream::checks() const { return gpu::clock_checks(impl_->stream); }

}  // namespace banzuke::stream
