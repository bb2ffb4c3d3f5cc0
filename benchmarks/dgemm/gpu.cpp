// DGEMM on a device by its vendor's library.

#include "core/array.hpp"
#include "core/gpu/blas.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "dgemm.hpp"
#include "gpu_launches.hpp"

namespace banzuke::dgemm {

// The host has C alone, for the check.
Problem problem(const Params& p, int /*ranks*/) {
  const double c = 8.0 * static_cast<double>(p.m) * static_cast<double>(p.n);
  return {.footprint = gpu::host_footprint + c, .device_footprint = footprint(p)};
}

struct Dgemm::Impl {
  explicit Impl(const Params& params)
      : p(params),
        device(gpu::use_given()),
        a(static_cast<std::size_t>(p.m * p.k)),
        b(static_cast<std::size_t>(p.k * p.n)),
        c(static_cast<std::size_t>(p.m * p.n)),
        copied(c.size()) {
    launch_fill(a.data(), p.m * p.k, matrix_a, stream);
    launch_fill(b.data(), p.k * p.n, matrix_b, stream);
    fill_c();
  }

  void fill_c() {
    launch_fill(c.data(), p.m * p.n, matrix_c, stream);
    stream.wait();
  }

  Params p;
  gpu::DeviceInfo device;
  gpu::Stream stream;
  gpu::Timer timer{stream};
  gpu::Blas blas{stream};
  gpu::DeviceBuffer<double> a, b, c;
  Array<double> copied;
};

Dgemm::Dgemm(const Params& params, const std::vector<std::vector<int>>& /*places*/)
    : impl_(make_hidden<Impl>(params)) {}

void Dgemm::reset() { impl_->fill_c(); }

double Dgemm::run() {
  const auto& [m, n, k, alpha, beta, repetitions] = impl_->p;
  impl_->timer.start();
  impl_->blas.dgemm(m, n, k, alpha, impl_->a.data(), m, impl_->b.data(), k, beta, impl_->c.data(), m);
  return impl_->timer.stop();
}

std::span<const double> Dgemm::result() {
  gpu::copy(gpu::HostPointer<double>(impl_->copied.data()), impl_->c.data(), impl_->c.size(), impl_->stream);
  impl_->stream.wait();
  return impl_->copied.span();
}

Json::Object Dgemm::conditions() const {
  return {{"method", gpu::platform()},
          {"device", impl_->device.name},
          {"l2_cache", static_cast<std::int64_t>(impl_->device.l2_cache)}};
}

Json::Object Dgemm::software() const { return {{"blas", impl_->blas.name()}, {"blas_path", impl_->blas.path()}}; }

std::vector<Verification> Dgemm::checks() const { return gpu::clock_checks(impl_->stream); }

}  // namespace banzuke::dgemm
