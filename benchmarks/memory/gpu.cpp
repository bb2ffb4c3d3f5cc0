// Latency and bandwidth of a device's caches and memory: CUDA, HIP, and the emulated device of the tests.

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "gpu_kernels.hpp"
#include "gpu_launches.hpp"
#include "memory.hpp"
#include "ring.hpp"
#include "streams.hpp"

namespace banzuke::memory {
namespace {

// Data that every multiprocessor's cache holds, and the share of the L2 cache that is used: its halves may each hold
// what a multiprocessor reads.
constexpr std::int64_t in_l1 = std::int64_t{8} << 10U;
constexpr std::int64_t share_of_l2 = 4;

constexpr std::int64_t blocks_each = 8;  // of a multiprocessor, that count lines
// Most loads before a chase is timed: enough to read all lines of any L2 cache.
constexpr std::int64_t most_before = std::int64_t{1} << 19U;

std::int64_t multiprocessors(const gpu::DeviceInfo& device) { return std::max(1, device.multiprocessors); }

Json::Object conditions_of(const gpu::DeviceInfo& device) {
  return {
      {"method", gpu::platform()}, {"device", device.name}, {"l2_cache", static_cast<std::int64_t>(device.l2_cache)}};
}

std::uint64_t sum_of_words(std::int64_t words) {
  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::int64_t i = 0; i < words; ++i) sum += word(i);
  return sum;
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 40U;
  parameters.add("test", params.test, "loads by all threads of the device, or dependent loads by one",
                 {"bandwidth", "latency"});
  parameters.add("min_size", params.min_size, "smallest data in bytes", {.min = 1, .max = most_bytes});
  parameters.add("max_size", params.max_size, "largest data in bytes", {.min = 1, .max = most_bytes});
  parameters.add("rounds", params.rounds, "samples of each size", {.min = 3, .max = 10'000});
  parameters.add("sample_us", params.sample_us, "microseconds of a sample, about", {.min = 100, .max = 10'000'000});
}

void settle(Parameters& /*parameters*/, Params& /*params*/) {}

std::int64_t cache_line() { return device_line; }
std::int64_t least_size(const Params& params) {
  return params.test == "latency" ? 2 * device_line : static_cast<std::int64_t>(grain * sizeof(double));
}
double owners_of_data() { return 1.0; }
std::string_view owner_of_data(const Params& params) {
  return params.test == "latency" ? "data of a thread" : "data of a device";
}

Problem problem(const Params& params, int /*ranks*/) {
  check_sizes(params, least_size(params),
              params.test == "latency" ? ", two lines of " + std::to_string(device_line) + " bytes" : "");
  const auto data = static_cast<double>(params.max_size);
  // A chase needs the successor and the place of each line, and the host also plans the cycle.
  const double plan = params.test == "latency" ? data / static_cast<double>(device_line) * sizeof(std::int64_t) : 0.0;
  return {.footprint = gpu::host_footprint + 3.0 * plan, .device_footprint = data + 2.0 * plan};
}

std::vector<Level> levels(const Params& params, const Context& context) {
  const auto l2 = static_cast<std::int64_t>(gpu::current().l2_cache) / share_of_l2;
  double least = -static_cast<double>(l2);
  least = context.ranks.maximum(least);  // devices may differ
  std::vector<Level> found;
  if (params.test == "latency") found.push_back({.number = 1, .size = in_l1});
  const auto common = static_cast<std::int64_t>(-least);
  if (common >= 2 * in_l1) found.push_back({.number = 2, .size = common});
  return found;
}

struct Chases::Impl {
  explicit Impl(const Params& params)
      : device(gpu::use_given()),
        data(static_cast<std::size_t>(params.max_size)),
        right(static_cast<std::size_t>(blocks_each * multiprocessors(device))) {}

  void go(std::int64_t loads) {
    launch_chase(loads, at.data(), stream);
    expected = (expected + loads) % lines;
  }

  gpu::DeviceInfo device;
  gpu::Stream stream;
  gpu::Timer timer{stream};
  gpu::DeviceBuffer<std::byte> data;
  gpu::PinnedBuffer<std::int64_t> right;
  gpu::DeviceBuffer<DeviceLink> at{1};
  std::int64_t lines = 1;
  std::int64_t expected = 0;
  bool joined = false;  // else a chase would leave the data
};

Chases::Chases(const Params& params) : impl_(make_hidden<Impl>(params)) {}

std::int64_t Chases::prepare(std::int64_t size) {
  Impl& of = *impl_;
  of.lines = size / device_line;
  std::vector<std::int64_t> next(static_cast<std::size_t>(of.lines));
  each_successor(of.lines, of.lines, 0,
                 [&](std::int64_t line, std::int64_t successor) { next[static_cast<std::size_t>(line)] = successor; });
  std::vector<std::int64_t> place(next.size());
  std::int64_t line = 0;
  for (std::int64_t number = 0; number < of.lines; ++number) {
    place[static_cast<std::size_t>(line)] = number;
    line = next[static_cast<std::size_t>(line)];
  }
  const auto successors = gpu::on_device(next, of.stream);
  const auto places = gpu::on_device(place, of.stream);
  launch_join(of.lines, of.data.data(), successors.data(), places.data(), of.stream);
  std::ranges::fill(of.right.span(), 0);  // if the launch is lost, no line must count as right
  launch_count(of.lines, of.data.data(), of.right.data(), static_cast<std::int64_t>(of.right.size()), of.stream);
  of.stream.wait();
  const std::int64_t right = std::accumulate(of.right.span().begin(), of.right.span().end(), std::int64_t{0});
  const std::vector<DeviceLink> first{
      {.next = reinterpret_cast<const DeviceLink*>(of.data.data().address()), .place = 0}};
  gpu::upload<DeviceLink>(of.at, first, of.stream);
  of.expected = 0;
  of.joined = right == of.lines;
  if (of.joined) of.go(std::min(of.lines, most_before));
  of.stream.wait();
  return of.lines - right;
}

double Chases::run(std::int64_t loads) {
  if (!impl_->joined) return 0.0;
  return impl_->timer.seconds([&] { impl_->go(loads); });
}

std::int64_t Chases::wrong() const {
  std::vector<DeviceLink> at(1);
  gpu::download<DeviceLink>(at, impl_->at, impl_->stream);
  return at.front().place == impl_->expected ? 0 : 1;
}

Json::Object Chases::conditions() const { return conditions_of(impl_->device); }
std::vector<Verification> Chases::checks() const { return gpu::clock_checks(impl_->stream); }

struct Loops::Impl {
  explicit Impl(const Params& params)
      : device(gpu::use_given()),
        data(static_cast<std::size_t>(params.max_size) / sizeof(std::uint64_t)),
        sums(static_cast<std::size_t>(multiprocessors(device))) {}

  gpu::DeviceInfo device;
  gpu::Stream stream;
  gpu::Timer timer{stream};
  gpu::DeviceBuffer<std::uint64_t> data;
  gpu::DeviceBuffer<std::uint64_t> sums;
  std::int64_t words = 0;
  std::uint64_t sum = 0;
  std::int64_t passes = 0;
};

Loops::Loops(const Params& params) : impl_(make_hidden<Impl>(params)) {}

std::int64_t Loops::prepare(std::int64_t size) {
  impl_->words = counted(Loop::load, size) / static_cast<std::int64_t>(sizeof(std::uint64_t));
  launch_fill(impl_->words, impl_->data.data(), impl_->stream);
  impl_->stream.wait();
  impl_->sum = 0;
  impl_->passes = 0;
  return 0;
}

double Loops::run(std::int64_t passes) {
  Impl& of = *impl_;
  gpu::set_bytes(of.sums.data(), 0, of.sums.size(), of.stream);
  const double seconds = of.timer.seconds([&] {
    launch_load(of.words, passes, of.data.data(), of.sums.data(), static_cast<std::int64_t>(of.sums.size()), of.stream);
  });
  std::vector<std::uint64_t> parts(of.sums.size());
  gpu::download<std::uint64_t>(parts, of.sums, of.stream);
  of.sum = std::accumulate(parts.begin(), parts.end(), of.sum);
  of.passes += passes;
  return seconds;
}

std::int64_t Loops::wrong() const {
  return impl_->sum == sum_of_words(impl_->words) * static_cast<std::uint64_t>(impl_->passes) ? 0 : 1;
}

Json::Object Loops::conditions() const { return conditions_of(impl_->device); }
std::vector<Verification> Loops::checks() const { return gpu::clock_checks(impl_->stream); }

}  // namespace banzuke::memory
