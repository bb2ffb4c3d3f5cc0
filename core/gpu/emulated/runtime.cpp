// Devices that the processor emulates: a stand-in with which tests run whole programs, and make devices fail, where
// there is none. Work is done when it is queued. Variables say what there is and what goes wrong:
//   BANZUKE_EMULATED_DEVICES  how many; 1
//   BANZUKE_EMULATED_MEMORY   bytes of each; 2^30
//   BANZUKE_EMULATED_RATE     B/s of the memory in theory; 0, unknown
//   BANZUKE_EMULATED_SLICES   so many MIG slices in place of the devices; as CUDA does, a process is shown the first
//                             alone, or those that CUDA_VISIBLE_DEVICES names
//   BANZUKE_EMULATED_CLOCK    seconds by the devices' clock in a second; 1
//   BANZUKE_EMULATED_FAULT    no-driver; old-driver; in-use; launch@N or copy@N: the Nth kernel or copy fails, and all
//                             that follows; lost@N: likewise the Nth operation of any kind

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "core/clock.hpp"
#include "core/gpu/emulated/restart.hpp"
#include "core/gpu/runtime.hpp"

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
  double rate = factor("BANZUKE_EMULATED_RATE", 0.0);
  std::string fault = variable("BANZUKE_EMULATED_FAULT");
  std::map<std::string, std::int64_t> done{};                // operations by kind
  std::string broken{};                                      // why nothing works any more
  std::map<void*, std::pair<int, std::size_t>> allocated{};  // on devices
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

void operate(const std::string& kind, const std::string& what, const std::source_location& where, int device) {
  Machine& of = machine();
  const std::scoped_lock lock(of.mutex);
  const auto nth = ++of.done[kind];
  const auto all = ++of.done["any"];
  if (of.broken.empty()) {
    if (of.fault == kind + "@" + std::to_string(nth)) of.broken = "an illegal memory access was encountered";
    if (of.fault == "lost@" + std::to_string(all)) of.broken = "the device is lost";
  }
  if (of.broken.empty()) return;
  const std::string_view path = where.file_name();
  throw Error("cannot " + what + ": " + of.broken + " (at " + std::string(path.substr(path.rfind('/') + 1)) + ":" +
              std::to_string(where.line()) + "; " + name_of(device) + " answers nothing more in this process)");
}

struct Moment {
  double seconds = 0.0;
  int device = 0;
};

Moment& moment(const Event& event) { return *static_cast<Moment*>(event.native()); }
int device_of(const Stream& stream) { return *static_cast<int*>(stream.native()); }

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

bool reach(int device, int other) { return device != other; }

bool has_clock() { return true; }

Stream::Stream() : stream_(new int(chosen)) {}
Stream::~Stream() { delete static_cast<int*>(stream_); }
void Stream::wait(std::source_location where) const {
  operate("wait", "finish what was queued", where, device_of(*this));
}
void Stream::after(const Event&) const {}

Event::Event() : event_(new Moment{.device = chosen}) {}
Event::~Event() { delete static_cast<Moment*>(event_); }
void Event::record(const Stream&) const { moment(*this).seconds = now(); }
void Event::wait(std::source_location where) const {
  operate("wait", "finish what was queued", where, moment(*this).device);
}
double Event::seconds_since(const Event& earlier) const {
  return machine().clock * (moment(*this).seconds - moment(earlier).seconds);
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
  if (space == Space::device) of.allocated[start] = {chosen, bytes};
  return start;
}

void release(Space space, void* start) noexcept {
  if (start == nullptr) return;
  if (space == Space::device) {
    const std::scoped_lock lock(machine().mutex);
    machine().allocated.erase(start);
  }
  ::operator delete(start, std::align_val_t{64});
}

void copy(void* to, const void* from, std::size_t bytes, const Stream& stream, std::source_location where) {
  operate("copy", "copy " + std::to_string(bytes) + " bytes", where, device_of(stream));
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void set(void* to, int byte, std::size_t bytes, const Stream&) {
  if (bytes > 0) std::memset(to, byte, bytes);
}

void launched(const Stream& stream, std::source_location where) {
  operate("launch", "launch a kernel", where, device_of(stream));
}

}  // namespace detail
}  // namespace banzuke::gpu
