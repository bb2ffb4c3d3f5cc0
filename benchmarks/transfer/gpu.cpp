// Transfers by one process that drives all its devices: CUDA, HIP, and the emulated devices of the tests.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/devices.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "gpu_memory.hpp"
#include "gpu_paths.hpp"
#include "transfer.hpp"

namespace banzuke::transfer {
namespace {

std::vector<gpu::DeviceInfo> chosen(const Params& params) {
  auto found = gpu::offered();
  if (params.test != "pairs") {
    const auto other = static_cast<std::size_t>(params.other);
    if (between_devices(params.path)) {
      if (other >= found.size()) {
        throw Unsupported("path " + params.path + " needs device " + std::to_string(other) + ", counted from 0, and " +
                          (found.size() == 1 ? "1 was" : std::to_string(found.size()) + " were") + " given");
      }
      found = {found[0], found[other]};
    } else {
      found.resize(1);
    }
  }
  for (const auto& device : found) {
    gpu::use(device.number);
    uses_device(device.identity);
  }
  return found;
}

// Allows access in both directions, because the driver decides which of the two devices needs it for a copy; returns
// whether both are possible.
bool reach_each_other(const gpu::DeviceInfo& one, const gpu::DeviceInfo& other) {
  const bool forth = gpu::reach(one.number, other.number);
  return gpu::reach(other.number, one.number) && forth;
}

// Returns the demand on the link between devices (`own`) or on the link to the host.
Demand over_link(bool own, double bytes) {
  return {.resource = own ? "link.peer" : "link.host", .amount = bytes, .busiest = "device"};
}

}  // namespace

struct Transfers::Impl {
  // One direction of the data, for the check.
  struct Leg {
    Ends ends;
    Memory* from;
    Memory* to;
  };
  struct Work {
    std::vector<Leg> legs{};
    std::vector<std::unique_ptr<Path>> paths{};
  };

  explicit Impl(const Params& given) : params(given), all(chosen(given)) {
    if (params.test != "pairs") {
      work = of_case();
      return;
    }
    const auto bytes = buffer_bytes(params);
    host = pinned_memory(bytes, bytes);
    for (const auto& device : all) memories.push_back(device_memory(device.number, bytes, bytes));
  }

  Work of_case() {
    const auto bytes = buffer_bytes(params);
    const bool there = params.direction != "to-host";
    const bool back = params.direction != "to-device";
    const bool devices = between_devices(params.path);
    const std::int64_t sent = there ? bytes : 0;
    const std::int64_t returned = back ? bytes : 0;
    if (devices && params.path.starts_with("peer") && !reach_each_other(all[0], all[1])) {
      throw Unsupported("path " + params.path + " is not available: the devices " + all[0].identity + " and " +
                        all[1].identity + " do not reach each other's memory");
    }
    if (params.path == "local") {
      memories.push_back(device_memory(all[0].number, bytes, bytes));
      return way_of(params.path, {.from = 0, .to = 0});
    }
    if (devices) {
      memories.push_back(device_memory(all[0].number, sent, returned));
      memories.push_back(device_memory(all[1].number, returned, sent));
    } else {
      host = params.path == "pageable" ? pageable_memory(sent, returned) : pinned_memory(sent, returned);
      memories.push_back(device_memory(all[0].number, returned, sent));
    }
    std::vector<Ends> ways;
    if (there) ways.push_back(devices ? Ends{.from = 0, .to = 1} : Ends{.from = -1, .to = 0});
    if (back) ways.push_back(devices ? Ends{.from = 1, .to = 0} : Ends{.from = 0, .to = -1});
    if (params.path == "nccl") return by_nccl(ways);
    Work made;
    for (const auto ends : ways) {
      Work one = way_of(params.path, ends);
      made.legs.push_back(one.legs.front());
      made.paths.push_back(std::move(one.paths.front()));
    }
    return made;
  }

  Memory& memory(int end) const { return end < 0 ? *host : *memories[static_cast<std::size_t>(end)]; }
  const gpu::DeviceInfo& device(int end) const { return all[static_cast<std::size_t>(end)]; }

  Work way_of(const std::string& path, Ends ends) const {
    Memory& from = memory(ends.from);
    Memory& to = memory(ends.to);
    Work made;
    made.legs.push_back({ends, &from, &to});
    made.paths.push_back(path_of(path, ends, to.in(), from.out()));
    return made;
  }

  // Returns the path of one direction; each direction has streams of its own.
  std::unique_ptr<Path> path_of(const std::string& path, Ends ends, Place to, Place from) const {
    const auto& sender = device(ends.from < 0 ? ends.to : ends.from);
    const auto& receiver = device(ends.to < 0 ? ends.from : ends.to);
    if (path == "kernel" || path == "peer-write") return kernel_path(make_lane(sender), to, from);
    if (path == "peer-read") return kernel_path(make_lane(receiver), to, from);
    const std::int64_t largest = params.test == "pairs" ? matrix::size(params) : sizes(params).back();
    if (path == "staged") return staged_path(make_lane(sender), make_lane(receiver), to, from, largest, 1);
    if (path == "pipelined") {
      const auto chunk = params.test == "pairs" ? matrix::chunk : params.chunk;
      return staged_path(make_lane(sender), make_lane(receiver), to, from, std::min(chunk, largest), 2);
    }
    return engine_path(make_lane(sender), to, from);
  }

  Work by_nccl(const std::vector<Ends>& ways) {
    Work made;
    try {
      nccl = std::make_shared<gpu::Nccl>(std::vector<int>{all[0].number, all[1].number});
    } catch (const gpu::Error& error) {
      throw Unsupported(std::string("path nccl is not available: ") + error.what());
    }
    std::vector<NcclWay> messages;
    for (const auto ends : ways) {
      made.legs.push_back({ends, &memory(ends.from), &memory(ends.to)});
      messages.push_back(
          {.from = ends.from, .to = ends.to, .in = memory(ends.to).in(), .out = memory(ends.from).out()});
    }
    made.paths.push_back(nccl_path(nccl, {make_lane(all[0]), make_lane(all[1])}, std::move(messages)));
    return made;
  }

  // Returns the seconds of a sample. All streams begin together; events in the first one measure the time, and it waits
  // for the others.
  static double sample(const Work& of, const Slots& where, std::int64_t copies, bool held) {
    std::vector<Lane*> others;
    for (const auto& path : of.paths) {
      for (const auto& lane : path->lanes()) others.push_back(lane.get());
    }
    const Lane& first = *others.front();
    others.erase(others.begin());
    std::optional<gpu::Gate> gate;
    if (held) gate.emplace(first.stream);
    first.begin.record(first.stream);
    for (const auto* lane : others) lane->stream.after(first.begin);
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      for (const auto& path : of.paths) path->queue(where.offset(copy), where.size);
    }
    for (const auto* lane : others) {
      lane->end.record(lane->stream);
      first.stream.after(lane->end);
    }
    first.end.record(first.stream);
    if (gate && !gate->open()) {
      throw gpu::Error("the device's queue is too short to hold back " + std::to_string(copies) + " copies of " +
                       std::to_string(where.size) + " bytes");
    }
    first.end.wait();
    return first.end.seconds_since(first.begin);
  }

  // Returns the seconds from the call to the end of the wait, by the host's clock.
  static double trip(const Work& of, const Slots& where) {
    const double begin = now();
    of.paths.front()->queue(0, where.size);
    for (const auto& lane : of.paths.front()->lanes()) lane->stream.wait();
    return now() - begin;
  }

  void prepare(const Work& of, const Slots& where, std::int64_t round) const {
    for (const auto& [ends, from, to] : of.legs) {
      from->fill_out(where, {.size = where.size, .round = round, .from = ends.from, .to = ends.to});
      to->clear_in(where);
    }
  }
  std::int64_t wrong(const Work& of, const Slots& where, std::int64_t round) const {
    std::int64_t found = 0;
    for (const auto& [ends, from, to] : of.legs) {
      found += to->wrong_in(where, {.size = where.size, .round = round, .from = ends.from, .to = ends.to});
    }
    return found;
  }

  // Runs one sample to warm up and then the others; the first and the last are checked.
  template <class One>
  Timed timed(const Work& of, const Slots& where, std::int64_t samples, Watch& watch, One one) const {
    Timed out;
    prepare(of, where, 0);
    one(false);
    out.wrong = wrong(of, where, 0);
    const auto part = [&](std::int64_t number) {
      const auto timing = watch.part();
      for (std::int64_t i = 0; i < number; ++i) out.seconds.push_back(one(true));
    };
    part(samples - 1);
    prepare(of, where, 1);
    part(1);
    out.wrong += wrong(of, where, 1);
    return out;
  }

  Params params;
  std::vector<gpu::DeviceInfo> all;
  std::unique_ptr<Memory> host{};
  std::vector<std::unique_ptr<Memory>> memories{};
  std::shared_ptr<gpu::Nccl> nccl{};
  Work work{};
  std::int64_t by_host = 0;
};

Transfers::Transfers(const Params& params) : impl_(make_hidden<Impl>(params)) {}

Transfers::Timed Transfers::timed(std::int64_t size, Watch& watch) {
  const auto& params = impl_->params;
  const auto number = copies(params, size);
  const Slots where = slots(size, number);
  if (params.test == "latency") {
    return impl_->timed(impl_->work, where, latency_samples(params), watch,
                        [&](bool) { return Impl::trip(impl_->work, where); });
  }
  const bool hold = held(params, size);
  return impl_->timed(impl_->work, where, params.samples, watch,
                      [&](bool ready) { return Impl::sample(impl_->work, where, number, ready && hold); });
}

Transfers::Timed Transfers::timed(Ends ends, Watch& watch) {
  const Slots where = slots(matrix::size(impl_->params), 1);
  std::string path = "pinned";
  if (ends.from >= 0 && ends.to >= 0 && !reach_each_other(impl_->device(ends.from), impl_->device(ends.to))) {
    path = "pipelined";
    ++impl_->by_host;
  }
  const auto of = impl_->way_of(path, ends);
  return impl_->timed(of, where, matrix::samples, watch,
                      [&](bool ready) { return Impl::sample(of, where, matrix::copies, ready && path == "pinned"); });
}

std::vector<std::string> Transfers::devices() const {
  std::vector<std::string> found;
  for (const auto& device : impl_->all) found.push_back(device.identity);
  return found;
}

std::vector<Demand> Transfers::demand(double bytes) const {
  const auto& path = impl_->params.path;
  if (path == "local") return {{.resource = "memory.bytes", .amount = 2.0 * bytes}};
  const bool direct = path.starts_with("peer") || path == "nccl";
  const bool own = direct && gpu::linked(impl_->all[0].number, impl_->all[1].number);
  return {over_link(own, bytes)};
}

std::vector<Demand> Transfers::demand(Ends ends, double bytes) const {
  bool own = false;
  if (ends.from >= 0 && ends.to >= 0) {
    const auto& from = impl_->device(ends.from);
    const auto& to = impl_->device(ends.to);
    own = gpu::linked(from.number, to.number) && reach_each_other(from, to);
  }
  return {over_link(own, bytes)};
}

Json::Object Transfers::conditions() const {
  Json::Object found{{"device", impl_->all.front().name}, {"device_platform", gpu::platform()}};
  if (impl_->params.test == "pairs") found.emplace_back("pairs_by_host", impl_->by_host);
  return found;
}

Json::Object Transfers::software() const {
  if (!impl_->nccl) return {};
  return {{"nccl", impl_->nccl->name()}};
}

std::vector<Verification> Transfers::checks() const {
  gpu::turn_to(impl_->all.front().number);
  const gpu::Stream stream;
  return gpu::clock_checks(stream);
}

}  // namespace banzuke::transfer
