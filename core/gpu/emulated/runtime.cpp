#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <ranges>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/gpu/emulated/machine.hpp"
#include "core/gpu/emulated/queue.hpp"
#include "core/gpu/emulated/restart.hpp"
#include "core/gpu/runtime.hpp"
#include "core/random.hpp"

namespace banzuke::gpu {

using emulated::Machine;
using emulated::machine;
using emulated::name_of;
using emulated::operate;
using emulated::unnoticed;

namespace {

thread_local int chosen = 0;

// Pending work of a stream.
struct Queue {
  int device = chosen;
  std::deque<std::function<void()>> left{};

  void step() {
    const auto work = std::move(left.front());
    left.pop_front();
    work();
  }
  void finish() {
    while (!left.empty()) step();
  }
};

// Returns the queues in the order of their creation, not of their addresses, which differ between processes.
std::vector<Queue*>& queues() {
  static std::vector<Queue*> all;
  return all;
}

// Finishes all work on all devices, as freeing memory does, because none may use it any more.
void finish_all() {
  for (auto* one : queues()) one->finish();
}

int& closed_gates() {
  static int number = 0;
  return number;
}

// Half of the time, other streams run before the one that the host waits for, the oldest or the newest first. The
// choice lasts for several consecutive waits, because a single one of many would be enough to hide a missing wait.
void let_others_go_first() {
  constexpr unsigned alike = 5;  // log2 of the number of waits
  static std::uint64_t waits = 0;
  const std::uint64_t choice = mix(waits++ >> alike);
  if ((choice & 1U) == 0 || closed_gates() > 0) return;
  if ((choice & 2U) != 0) {
    finish_all();
  } else {
    for (auto* one : queues() | std::views::reverse) one->finish();
  }
}

// One recording of an event.
struct Mark {
  Queue* queue = nullptr;
  bool passed = false;
  double seconds = 0.0;

  void reach() const {
    while (!passed) queue->step();
  }
};

// Loops of directives are not queued: losing one means restoring the memory contents from before it.
void lose_loop() {
  Machine& of = machine();
  const std::scoped_lock lock(of.mutex);
  for (const auto& [start, bytes] : of.kept) {
    if (of.allocated.contains(start)) std::ranges::copy(bytes, start);
  }
  of.kept.clear();
  ++of.done["loop"];
  if (!unnoticed("missing", "loop")) return;
  for (const auto& [start, what] : of.allocated) of.kept[start] = {start, start + what.second};
}

struct Recorded {
  int device = 0;
  std::shared_ptr<Mark> last{};  // null if never
};

Recorded& recorded(const Event& event) { return *static_cast<Recorded*>(event.native()); }
Queue& queue_of(const Stream& stream) { return *static_cast<Queue*>(stream.native()); }

// Returns whether this is memory that a device can copy from or to asynchronously.
bool locked(const void* start) {
  const Machine& of = machine();
  const auto* byte = static_cast<const std::byte*>(start);
  const auto after = of.allocated.upper_bound(byte);
  if (after == of.allocated.begin()) return false;
  const auto& [first, what] = *std::prev(after);
  return byte < first + what.second;
}

}  // namespace

void emulated::restart() {
  emulated::renew();
  chosen = 0;
}

std::string platform() { return "emulated"; }  // NOLINT(modernize-use-string-view): as it is declared

std::vector<DeviceInfo> devices() {
  const Machine& of = machine();
  const auto identities = emulated::visible();
  if (of.fault == "no-driver" || identities.empty()) {
    throw NoDeviceError("there is no device: no driver is installed");
  }
  if (of.fault == "old-driver") {
    throw NoDeviceError(
        "the driver is older than the toolkit: the driver serves up to 1.0, this program was built with 2.0");
  }
  std::vector<DeviceInfo> found;
  found.reserve(identities.size());
  for (const auto& identity : identities) {
    const auto device = static_cast<int>(found.size());
    found.push_back({.number = device,
                     .identity = identity,
                     .name = name_of(device),
                     .bus = "0000:0" + std::to_string(device) + ":00.0",
                     .memory = of.memory,
                     .free = of.memory - of.used(device),
                     .l2_cache = std::size_t{1} << 20U,
                     .memory_rate = of.rate,
                     .multiprocessors = 4,
                     .architecture = "emulated"});
  }
  return found;
}

void use(int number) {
  const auto count = static_cast<int>(devices().size());
  if (number < 0 || number >= count) throw NoDeviceError("there is no device " + std::to_string(number));
  if (machine().fault == "in-use") {
    throw NoDeviceError("device " + std::to_string(number) +
                        " is in use by another process, and its compute mode lets one process use it at a time");
  }
  chosen = number;
}

DeviceInfo current() { return devices()[static_cast<std::size_t>(chosen)]; }

void turn_to(int number) { chosen = number; }

bool reach(int device, int other) { return device != other && machine().peers != "none"; }
bool linked(int device, int other) { return device != other && machine().peers == "nvlink"; }
bool has_clock() { return true; }

namespace {

std::shared_ptr<Mark> mark_in(const Stream& stream) {
  const auto made = std::make_shared<Mark>(Mark{.queue = &queue_of(stream)});
  emulated::queue(stream, [made] {
    made->seconds = now();
    made->passed = true;
  });
  return made;
}

}  // namespace

Stream::Stream(Priority) : stream_(new Queue) { queues().push_back(&queue_of(*this)); }
Stream::~Stream() {
  Queue& own = queue_of(*this);
  try {
    own.finish();
  } catch (const std::exception&) {
    own.left.clear();  // nothing will wait for it
  }
  std::erase(queues(), &own);
  delete &own;
}
void Stream::wait(Caller where) const {
  operate("wait", "finish what was queued", where, queue_of(*this).device);
  let_others_go_first();
  queue_of(*this).finish();
}
void Stream::after(const Event& event) const {
  if (const auto last = recorded(event).last) emulated::queue(*this, [last] { last->reach(); });
}

Event::Event(Waiting) : event_(new Recorded{.device = chosen}) {}
Event::~Event() { delete &recorded(*this); }
void Event::record(const Stream& stream) const {
  if (recorded(*this).device != queue_of(stream).device) throw Error("cannot record an event: its device is another");
  lose_loop();
  recorded(*this).last = mark_in(stream);
}
void Event::wait(Caller where) const {
  operate("wait", "finish what was queued", where, recorded(*this).device);
  if (!recorded(*this).last) return;
  let_others_go_first();
  recorded(*this).last->reach();
}
double Event::seconds_since(const Event& earlier) const {
  const auto& [device, last] = recorded(*this);
  const auto& [device_before, before] = recorded(earlier);
  if (device != device_before) throw Error("cannot read the device's clock: the events are of two devices");
  if (!last || !before || !last->passed || !before->passed) throw Error("cannot read the device's clock: not ready");
  return machine().clock * (last->seconds - before->seconds);
}

Pinning::Pinning(void* start, std::size_t bytes) : start_(start) {
  if (emulated::variable("BANZUKE_EMULATED_PINNING") == "none") {
    why_ = "this system locks no memory of others";
    return;
  }
  const std::scoped_lock lock(machine().mutex);
  machine().allocated[static_cast<std::byte*>(start)] = {-1, bytes};
}
Pinning::~Pinning() {
  if (!locked()) return;
  const std::scoped_lock lock(machine().mutex);
  machine().allocated.erase(static_cast<std::byte*>(start_));
}

struct Gate::State {
  bool opened = false;
};
Gate::Gate(const Stream& stream) : state_(std::make_shared<State>()) {
  ++closed_gates();
  emulated::queue(stream, [state = state_] {
    if (!state->opened) throw Error("deadlock: the host waits for a stream that it holds back");
  });
}
Gate::~Gate() { open(); }
bool Gate::open() {
  closed_gates() -= state_->opened ? 0 : 1;
  state_->opened = true;
  return true;
}

void emulated::queue(const Stream& stream, std::function<void()> work) {
  queue_of(stream).left.push_back(std::move(work));
}

bool emulated::sends(const Stream& stream) {
  operate("message", "send a message", Caller::here(), queue_of(stream).device);
  return !unnoticed("missing", "message");
}

std::function<void()> emulated::mark(const Stream& stream) {
  return [made = mark_in(stream)] { made->reach(); };
}

namespace detail {

void* allocate(Space space, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  Machine& of = machine();
  const std::scoped_lock lock(of.mutex);
  if (space == Space::device) {
    const std::size_t free = of.memory - of.used(chosen);
    if (bytes > free) {
      throw Error("out of memory on " + name_of(chosen) + ": " + std::to_string(bytes) + " bytes were asked for, " +
                  std::to_string(free) + " of " + std::to_string(of.memory) + " are free");
    }
  }
  void* start = ::operator new(bytes, std::align_val_t{64});
  if (space != Space::host) {
    of.allocated[static_cast<std::byte*>(start)] = {space == Space::device ? chosen : -1, bytes};
  }
  return start;
}

void release(Space space, void* start) noexcept {
  if (start == nullptr) return;
  if (space != Space::host) {
    try {
      finish_all();
    } catch (const std::exception&) {
      for (auto* one : queues()) one->left.clear();
    }
    const std::scoped_lock lock(machine().mutex);
    machine().allocated.erase(static_cast<std::byte*>(start));
  }
  ::operator delete(start, std::align_val_t{64});
}

// As in CUDA, copies from or to pageable memory are complete when the call returns.
void copy(void* to, const void* from, std::size_t bytes, const Stream& stream, Caller where) {
  operate("copy", "copy " + std::to_string(bytes) + " bytes", where, queue_of(stream).device);
  if (bytes == 0) return;
  const bool at_once = !locked(to) || !locked(from);
  const bool missing = unnoticed("missing", "copy");
  const bool wrong = unnoticed("wrong", "copy");
  emulated::queue(stream, [=] {
    if (!missing) std::memcpy(to, from, bytes);
    if (wrong) static_cast<std::byte*>(to)[bytes - 1] ^= std::byte{1};
  });
  if (at_once) queue_of(stream).finish();
}

void set(void* to, int byte, std::size_t bytes, const Stream& stream) {
  if (bytes > 0) emulated::queue(stream, [=] { std::memset(to, byte, bytes); });
}

void launched(const Stream& stream, Caller where) {
  if (queue_of(stream).device != chosen) throw Error("cannot launch a kernel: the stream is of another device");
  operate("launch", "launch a kernel", where, queue_of(stream).device);
  if (unnoticed("missing", "launch")) queue_of(stream).left.pop_back();
}

}  // namespace detail
}  // namespace banzuke::gpu
