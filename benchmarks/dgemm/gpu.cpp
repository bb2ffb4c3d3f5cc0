// DGEMM on a device by its vendor's library.

#include <algorithm>
#include <utility>
#include <vector>

#include "core/gpu/blas.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "dgemm.hpp"
#include "gpu_launches.hpp"
#include "gpu_pieces.hpp"

namespace banzuke::dgemm {

namespace {

// The check's products are summed in parts of so many columns.
constexpr std::int64_t columns_of_part = 512;

double check_footprint(const Params& p) {
  const std::int64_t longest = std::max({p.m, p.n, p.k});
  const std::int64_t parts = (longest + columns_of_part - 1) / columns_of_part;
  return 8.0 * static_cast<double>(longest) * static_cast<double>(1 + parts);
}

}  // namespace

Problem problem(const Params& p, int ranks) {
  if (p.split != "none") return problem_of_group(p, ranks);
  const double check = check_footprint(p);
  return {.footprint = gpu::host_footprint + check, .device_footprint = footprint(p) + check};
}

struct Dgemm::Impl {
  explicit Impl(Params params)
      : p(std::move(params)),
        device(gpu::use_given()),
        a(static_cast<std::size_t>(p.m * p.k)),
        b(static_cast<std::size_t>(p.k * p.n)),
        c(static_cast<std::size_t>(p.m * p.n)) {
    launch_fill(a.data(), p.m * p.k, matrix_a, stream);
    launch_fill(b.data(), p.k * p.n, matrix_b, stream);
    fill_c();
  }

  void fill_c() {
    launch_fill(c.data(), p.m * p.n, matrix_c, stream);
    stream.wait();
  }

  // M x for a matrix of rows x columns, which `launch` multiplies part by part.
  template <class Launch>
  std::vector<double> product(std::int64_t rows, std::int64_t columns, const std::vector<double>& x, Launch launch) {
    const std::int64_t parts = (columns + columns_of_part - 1) / columns_of_part;
    gpu::DeviceBuffer<double> factors(x.size());
    gpu::DeviceBuffer<double> sums(static_cast<std::size_t>(rows * parts));
    gpu::upload<double>(factors, x, stream);
    launch(PartialProduct{rows, columns, columns_of_part, factors.data(), sums.data()});
    std::vector<double> by_part(sums.size());
    gpu::download<double>(by_part, sums, stream);
    std::vector<double> y(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < by_part.size(); ++i) y[i % y.size()] += by_part[i];
    return y;
  }

  Params p;
  gpu::DeviceInfo device;
  gpu::Stream stream;
  gpu::Timer timer{stream};
  gpu::Blas blas{stream};
  gpu::DeviceBuffer<double> a, b, c;
  bool called = false;
  std::vector<double> copied{};
};

Dgemm::Dgemm(const Params& params, const std::vector<std::vector<int>>& /*places*/)
    : impl_(make_hidden<Impl>(params)) {}

void Dgemm::reset() { impl_->fill_c(); }

double Dgemm::run() {
  const auto queue = [&of = *impl_, &p = impl_->p] {
    of.blas.dgemm(p.m, p.n, p.k, p.alpha, of.a.data(), p.m, of.b.data(), p.k, p.beta, of.c.data(), p.m);
  };
  // The first call loads the library's kernels, for which the device must not be held.
  const bool first = !std::exchange(impl_->called, true);
  return first ? impl_->timer.seconds(queue) : impl_->timer.seconds_held(queue);
}

std::span<const double> Dgemm::result() {
  impl_->copied.resize(impl_->c.size());
  gpu::download<double>(impl_->copied, impl_->c, impl_->stream);
  return impl_->copied;
}

// On the device, too: a host core would take 20 times as long for it as a device for the product.
double Dgemm::residual(std::int64_t calls) {
  Impl& of = *impl_;
  const Params& p = of.p;
  const auto generated = [&](std::uint64_t number) {
    return [&, number](const PartialProduct& part) { launch_product(number, part, of.stream); };
  };
  const auto x = random_vector(p);
  const auto bx = of.product(p.k, p.n, x, generated(matrix_b));
  return dgemm::residual(
      p, calls,
      {.abx = of.product(p.m, p.k, bx, generated(matrix_a)),
       .c0x = of.product(p.m, p.n, x, generated(matrix_c)),
       .cx = of.product(p.m, p.n, x, [&](const PartialProduct& part) { launch_product(of.c.data(), part, of.stream); }),
       .row_sums = of.product(p.m, p.n, std::vector<double>(x.size(), 1.0), [&](const PartialProduct& part) {
         launch_product_of_magnitudes(of.c.data(), part, of.stream);
       })});
}

Json::Object Dgemm::conditions() const {
  return {{"method", gpu::platform()},
          {"device", impl_->device.name},
          {"l2_cache", static_cast<std::int64_t>(impl_->device.l2_cache)}};
}

Json::Object Dgemm::software() const { return {{"blas", impl_->blas.name()}, {"blas_path", impl_->blas.path()}}; }

std::vector<Verification> Dgemm::checks() const { return gpu::clock_checks(impl_->stream); }

}  // namespace banzuke::dgemm
