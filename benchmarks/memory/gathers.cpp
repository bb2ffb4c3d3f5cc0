#include <atomic>
#include <optional>
#include <vector>

#include "gather.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace banzuke::memory {

struct Gathers::Impl {
  explicit Impl(const Params& params) : data(params.max_size, false), gathers(data.threads()) {}

  ThreadData data;
  std::vector<std::optional<Gather>> gathers;
};

Gathers::Gathers(const Params& params) : impl_(make_hidden<Impl>(params)) {}

std::int64_t Gathers::prepare(std::int64_t size) {
  impl_->data.on_each(
      [&](std::size_t thread, std::byte* start) { impl_->gathers[thread].emplace(start, size, cache_line(), thread); });
  return 0;
}

double Gathers::run(std::int64_t groups) {
  return impl_->data.time_each([&](std::size_t thread, std::byte*) { impl_->gathers[thread]->run(groups); });
}

std::int64_t Gathers::wrong() const {
  std::atomic<std::int64_t> wrong{0};
  impl_->data.on_each([&](std::size_t thread, std::byte*) { wrong += impl_->gathers[thread]->wrong() ? 1 : 0; });
  return wrong;
}

Json::Object Gathers::conditions() const { return impl_->data.conditions(); }

}  // namespace banzuke::memory
