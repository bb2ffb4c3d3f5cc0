// FFT in device memory, by our own kernels or by the vendor's library.

#include <optional>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/fft.hpp"
#include "core/gpu/timing.hpp"
#include "fft.hpp"
#include "gpu_launches.hpp"
#include "gpu_own.hpp"

namespace banzuke::fft {

const int most_ranks = 1;
const bool of_devices = true;

namespace {

std::vector<std::int64_t> lengths_of(const Params& params) {
  if (params.dimensions == 1) return {params.n};
  if (params.dimensions != 3) {
    throw UsageError("dimensions: transforms are of 1 or 3", {{{"dimensions", std::int64_t{1}}}});
  }
  const std::int64_t edge = edge_of(params.n);
  return {edge, edge, edge};
}

}  // namespace

// The host holds one array, for checks. The device holds input, output and a work area of the library of the same size.
Problem problem(const Params& params, int ranks) {
  Problem needed = problem_on_host(params, ranks);
  lengths_of(params);
  if (params.transform == "own") own_lengths(params.n, params.dimensions);
  const double numbers = sizeof(Complex) * static_cast<double>(params.n);
  needed.footprint = gpu::host_footprint + numbers;
  needed.device_footprint = 3.0 * numbers;
  return needed;
}

struct Fft::Impl {
  // Which device buffer the host has a copy of, and may have changed.
  enum class Seen { nothing, in, out };

  explicit Impl(const Params& params)
      : device(gpu::use_given()), in(static_cast<std::size_t>(params.n)), out(in.size()), host(in.size()) {
    const double begun = now();
    if (params.transform == "own") {
      own.emplace(params.n, params.dimensions, stream);
      own->choose(in.data());
      name = own->method();
    } else {
      library.emplace(stream, lengths_of(params));
      name = library->name();
    }
    planning = now() - begun;
  }

  gpu::DeviceBuffer<Complex>& buffer(Seen which) { return which == Seen::in ? in : out; }

  Complex* show(Seen which) {
    if (seen == which) return host.data();
    take_back();
    gpu::copy(gpu::HostPointer<Complex>(host.data()), buffer(which).data(), host.size(), stream);
    stream.wait();
    seen = which;
    return host.data();
  }
  void take_back() {
    if (seen != Seen::nothing) gpu::upload(buffer(seen), host.span(), stream);
    seen = Seen::nothing;
  }

  double run(gpu::DeviceBuffer<Complex>& from, gpu::DeviceBuffer<Complex>& to) {
    take_back();
    timer.start();
    if (own) {
      own->forward(from.data(), to.data());
    } else if (library) {
      library->forward(from.data(), to.data());
    }
    return timer.stop();
  }

  gpu::DeviceInfo device;
  gpu::Stream stream;
  gpu::Timer timer{stream};
  std::optional<OwnFft> own;
  std::optional<gpu::Fft> library;
  std::string name{};
  double planning = 0.0;
  gpu::DeviceBuffer<Complex> in, out;
  Array<Complex> host;
  Seen seen = Seen::nothing;
};

Fft::Fft(const Params& params, const Split& /*split*/, const Communicator& /*ranks*/)
    : impl_(make_hidden<Impl>(params)) {}

std::int64_t Fft::size() const { return static_cast<std::int64_t>(impl_->in.size()); }
void Fft::fill() {
  impl_->take_back();
  launch_fill(impl_->in.data(), size(), impl_->stream);
  // Fill the output with NaN, so that the result of an earlier transform cannot pass for this one's.
  gpu::set_bytes(impl_->out.data(), 0xFF, impl_->out.size(), impl_->stream);
  impl_->stream.wait();
}
Complex* Fft::in() { return impl_->show(Impl::Seen::in); }
Complex* Fft::out() { return impl_->show(Impl::Seen::out); }
Order Fft::in_order() const { return {}; }
Order Fft::out_order() const { return {}; }
Times Fft::run() { return {.parts = {impl_->run(impl_->in, impl_->out)}}; }
void Fft::run_back() { impl_->run(impl_->out, impl_->in); }
const std::string& Fft::method() const { return impl_->name; }
double Fft::planning_seconds() const { return impl_->planning; }
Json::Object Fft::software() const {
  const std::string path = impl_->library ? impl_->library->path() : "";
  return path.empty() ? Json::Object{} : Json::Object{{"library_path", path}};
}
Json::Object Fft::conditions() const {
  Json::Object how{{"method", gpu::platform()},
                   {"device", impl_->device.name},
                   {"l2_cache", static_cast<std::int64_t>(impl_->device.l2_cache)}};
  if (impl_->own) how.emplace_back("passes_with_computed_roots", impl_->own->computed());
  return how;
}
std::vector<Verification> Fft::checks() const { return gpu::clock_checks(impl_->stream); }

}  // namespace banzuke::fft
