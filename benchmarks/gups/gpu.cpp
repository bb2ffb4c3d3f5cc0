// GUPS on a device: CUDA, HIP, and the emulated device of the tests.

#include <algorithm>

#include "core/gpu/choose.hpp"
#include "gpu_table.hpp"
#include "gups.hpp"

namespace banzuke::gups {

void declare(Parameters& parameters, Params& params) { declare_sizes(parameters, params); }

Problem problem(const Params& params, int /*ranks*/) {
  check_power_of_two("n", params.n);
  return {.footprint = gpu::host_footprint, .device_footprint = footprint(params)};
}

struct Gups::Impl {
  explicit Impl(const Params& params)
      : device(gpu::use_given()),
        bytes(footprint(params)),
        updates(updates_of_word * params.n),
        table(params.n, device.multiprocessors) {}

  gpu::DeviceInfo device;
  double bytes;
  std::int64_t updates;  // of a round
  Table table;
};

Gups::Gups(const Params& params, const Communicator& /*ranks*/) : impl_(make_hidden<Impl>(params)) {}

std::int64_t Gups::updates() const { return impl_->updates; }
double Gups::run(std::int64_t round) { return impl_->table.run(round * impl_->updates, impl_->updates); }
void Gups::replay(std::int64_t updates) { impl_->table.replay(updates); }
Tally Gups::tally() const { return impl_->table.tally(); }
std::int64_t Gups::table_words() const { return impl_->updates / updates_of_word; }
std::vector<std::uint64_t> Gups::words() const { return impl_->table.words(); }

// Returns the bytes of a sector, the least that a device fetches from its memory.
double Gups::line() const { return 32.0; }
double Gups::missing() const { return std::max(0.0, 1.0 - static_cast<double>(impl_->device.l2_cache) / impl_->bytes); }

Json::Object Gups::conditions() const {
  return {{"method", gpu::platform()},
          {"device", impl_->device.name},
          {"l2_cache", static_cast<std::int64_t>(impl_->device.l2_cache)}};
}

std::vector<Verification> Gups::checks() const { return gpu::clock_checks(impl_->table.stream()); }

}  // namespace banzuke::gups
