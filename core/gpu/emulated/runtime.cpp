// Devices emulated by the processor, with which tests run whole programs, and make devices fail, without a real device.
// Work stays in its stream until the host waits for it; other streams are then run before it or left behind, as far as
// events allow, so that code that lacks a wait works on old data, as it might on a device. Environment variables set
// the configuration and the faults:
//   BANZUKE_EMULATED_DEVICES  number of devices; 1
//   BANZUKE_EMULATED_MEMORY   bytes on each; 2^30
//   BANZUKE_EMULATED_RATE     theoretical B/s of the memory; 0, unknown
//   BANZUKE_EMULATED_SLICES   number of MIG slices, instead of devices; as with CUDA, a process sees only the first,
//                             or those that CUDA_VISIBLE_DEVICES names
//   BANZUKE_EMULATED_CLOCK    seconds of the devices' clock per second; 1
//   BANZUKE_EMULATED_PEERS    how devices access each other: pcie, nvlink, or none (they cannot); pcie
//   BANZUKE_EMULATED_NCCL     none: there is no NCCL
//   BANZUKE_EMULATED_PINNING  none: existing memory cannot be locked for transfers
//   BANZUKE_EMULATED_FAULT    no-driver; old-driver; in-use; launch@N or copy@N: the Nth kernel or copy and all later
//                             operations fail; lost@N: the same for the Nth operation of any kind; missing-launch@N,
//                             missing-copy@N, missing-message@N: the Nth one is silently skipped; wrong-copy@N: its
//                             last byte is wrong; missing-loop@N: memory written directly after the Nth recording of
//                             an event, as by loops of directives, is restored by the next

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <ranges>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/gpu/emulated/queue.hpp"
#include "core/gpu/emulated/restart.hpp"
#include "core/gpu/runtime.hpp"
#include "core/random.hpp"

namespace banzuke::gpu {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::int64_t number(const char* name, std::int64_t usual) {
  const std::string text = variable(name);
  std::int64_t value = usual;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double factor(const char* name, double usual) {
  const std::string text = variable(name);
  return text.empty() ? usual : std::strtod(text.c_str(), nullptr);
}

struct Machine {
  int slices = static_cast<int>(number("BANZUKE_EMULATED_SLICES", 0));
  double clock = factor("BANZUKE_EMULATED_CLOCK", 1.0);
  int devices = static_cast<int>(number("BANZUKE_EMULATED_DEVICES", 1));
  std::size_t memory = static_cast<std::size_t>(number("BANZUKE_EMULATED_MEMORY", std::int64_t{1} << 30));
  std::string peers = variable("BANZUKE_EMULATED_PEERS");
  double rate = factor("BANZUKE_EMULATED_RATE", 0.0);
  std::string fault = variable("BANZUKE_EMULATED_FAULT");
  std::map<std::string, std::int64_t> done{};                                  // number of operations by kind
  std::string broken{};                                                        // why nothing works any more
  std::map<std::byte*, std::pair<int, std::size_t>, std::less<>> allocated{};  // pinned: device -1
  std::map<std::byte*, std::vector<std::byte>> kept{};                         // from before a lost loop
  std::mutex mutex{};

  std::size_t used(int device) const {
    std::size_t total = 0;
    for (const auto& [start, of] : allocated) total += of.first == device ? of.second : 0;
    return total;
  }
};

std::unique_ptr<Machine>& started() {
  static std::unique_ptr<Machine> one = std::make_unique<Machine>();
  return one;
}
Machine& machine() { return *started(); }

thread_local int chosen = 0;

std::string name_of(int device) { return "emulated device " + std::to_string(device); }

std::vector<std::string> visible() {
  const Machine& of = machine();
  std::vector<std::string> identities;
  for (int device = 0; device < of.devices && of.slices == 0; ++device) {
    identities.push_back("EMULATED-" + std::to_string(device));
  }
  const std::string named = std::string(",").append(variable("CUDA_VISIBLE_DEVICES")).append(",");
  for (int slice = 0; slice < of.slices; ++slice) {
    const std::string identity = "MIG-EMULATED-" + std::to_string(slice);
    if (named == ",," ? slice == 0 : named.find("," + identity + ",") != std::string::npos) {
      identities.push_back(identity);
    }
  }
  return identities;
}

void operate(const std::string& kind, const std::string& what, const Caller& where, int device) {
  Machine& of = machine();
  const std::scoped_lock lock(of.mutex);
  const auto nth = ++of.done[kind];
  const auto all = ++of.done["any"];
  if (of.broken.empty()) {
    if (of.fault == kind + "@" + std::to_string(nth)) of.broken = "an illegal memory access was encountered";
    if (of.fault == "lost@" + std::to_string(all)) of.broken = "the device is lost";
  }
  if (of.broken.empty()) return;
  const std::string_view path = where.file;
  throw Error("cannot " + what + ": " + of.broken + " (at " + std::string(path.substr(path.rfind('/') + 1)) + ":" +
              std::to_string(where.line) + "; " + name_of(device) + " answers nothing more in this process)");
}

// Returns whether the last operation of a kind is the one that fails silently.
bool unnoticed(const std::string& fault, const std::string& kind) {
  const Machine& of = machine();
  const auto done = of.done.find(kind);
  return done != of.done.end() && of.fault == fault + "-" + kind + "@" + std::to_string(done->second);
}

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
  started() = std::make_unique<Machine>();
  chosen = 0;
}

std::string platform() { return "emulated"; }  // NOLINT(modernize-use-string-view): as it is declared

std::vector<DeviceInfo> devices() {
  const Machine& of = machine();
  const auto identities = visible();
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
  if (variable("BANZUKE_EMULATED_PINNING") == "none") {
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
