#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "gather.hpp"
#include "memory.hpp"
#include "ring.hpp"
#include "streams.hpp"
#include "threads.hpp"

namespace banzuke::memory {

struct Chases::Impl {
  explicit Impl(const Params& params)
      : page(params.order == "within" ? base_page() : 0),
        data(params.max_size, params.data_pages == "base"),
        rings(data.threads()) {}

  std::int64_t page;
  ThreadData data;
  std::vector<std::optional<Ring>> rings;
};

Chases::Chases(const Params& params) : impl_(make_hidden<Impl>(params)) {}

std::int64_t Chases::prepare(std::int64_t size) {
  std::atomic<std::int64_t> missed{0};
  impl_->data.on_each([&](std::size_t thread, std::byte* start) {
    Ring& ring = impl_->rings[thread].emplace(start, size, cache_line(), impl_->page, thread);
    missed += ring.missed();
    ring.go(ring.lines());  // so that the lines read last are those of the cycle, not of the check
  });
  return missed;
}

double Chases::run(std::int64_t loads) {
  return impl_->data.time_each([&](std::size_t thread, std::byte*) { impl_->rings[thread]->go(loads); });
}

std::int64_t Chases::wrong() const {
  return std::ranges::count_if(impl_->rings, [](const auto& ring) { return ring && ring->misled(); });
}

Json::Object Chases::conditions() const { return impl_->data.conditions(); }

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

struct Loops::Impl {
  explicit Impl(const Params& params)
      : loop(loop_named(params.loop)), data(reserved(loop, params.max_size), false), streams(data.threads()) {}

  Loop loop;
  const Kernels& kernels = *all_kernels().front();
  ThreadData data;
  std::vector<std::optional<Streams>> streams;
};

Loops::Loops(const Params& params) : impl_(make_hidden<Impl>(params)) {}

std::int64_t Loops::prepare(std::int64_t size) {
  impl_->data.on_each([&](std::size_t thread, std::byte* start) {
    impl_->streams[thread].emplace(impl_->kernels, impl_->loop, reinterpret_cast<double*>(start), size);
  });
  return 0;
}

double Loops::run(std::int64_t passes) {
  return impl_->data.time_each([&](std::size_t thread, std::byte*) { impl_->streams[thread]->run(passes); });
}

std::int64_t Loops::wrong() const {
  std::atomic<std::int64_t> wrong{0};
  impl_->data.on_each([&](std::size_t thread, std::byte*) { wrong += impl_->streams[thread]->wrong(); });
  return wrong;
}

Json::Object Loops::conditions() const {
  Json::Object how = impl_->data.conditions();
  how.emplace_back("method", impl_->kernels.name);
  return how;
}

}  // namespace banzuke::memory
