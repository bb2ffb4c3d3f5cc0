#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "gather.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace banzuke::memory {

namespace {

constexpr std::int64_t far_ahead = 16;  // groups: 256 lines, which the caches below the last one hold
constexpr int trials = 3;

}  // namespace

struct Gathers::Impl {
  explicit Impl(const Params& params) : data(params.max_size, false), gathers(data.threads()) {}

  void restart(std::int64_t groups_ahead) {
    data.on_each([&](std::size_t thread, std::byte*) { gathers[thread]->restart(groups_ahead); });
  }

  double run(std::int64_t groups) {
    return data.time_each([&](std::size_t thread, std::byte*) { gathers[thread]->run(groups); });
  }

  // Returns the seconds of the fastest of some trials, each of as many loads as there are lines, within bounds.
  double trial(std::int64_t groups_ahead, std::int64_t lines) {
    const std::int64_t groups = std::clamp<std::int64_t>(lines, 1 << 12, 1 << 16) / Gather::group;
    restart(groups_ahead);
    run(groups);
    double fastest = run(groups);
    for (int more = 1; more < trials; ++more) fastest = std::min(fastest, run(groups));
    return fastest;
  }

  ThreadData data;
  std::vector<std::optional<Gather>> gathers;
};

Gathers::Gathers(const Params& params) : impl_(make_hidden<Impl>(params)) {}

std::int64_t Gathers::prepare(std::int64_t size) {
  impl_->data.on_each(
      [&](std::size_t thread, std::byte* start) { impl_->gathers[thread].emplace(start, size, cache_line(), thread); });
  const std::int64_t lines = size / cache_line();
  const double alone = impl_->trial(0, lines);
  if (alone < impl_->trial(far_ahead, lines)) impl_->restart(0);
  return 0;
}

double Gathers::run(std::int64_t groups) { return impl_->run(groups); }

std::int64_t Gathers::wrong() const {
  std::atomic<std::int64_t> wrong{0};
  impl_->data.on_each([&](std::size_t thread, std::byte*) { wrong += impl_->gathers[thread]->wrong() ? 1 : 0; });
  return wrong;
}

Json::Object Gathers::conditions() const { return impl_->data.conditions(); }

}  // namespace banzuke::memory
