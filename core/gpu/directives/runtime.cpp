// Devices used through directives: regions and copies are synchronous, so streams queue nothing, and events are times
// of the host's clock.

#include "core/gpu/runtime.hpp"

#include <new>

#include "core/clock.hpp"
#include "core/gpu/directives/model.hpp"
#include "core/gpu/directives/owner.hpp"
#include "core/gpu/directives/placed.hpp"

namespace banzuke::gpu {
namespace {

thread_local DeviceInfo chosen;

double& moment(const Event& event) { return *static_cast<double*>(event.native()); }

}  // namespace

void use(int number) {
  const DeviceInfo device = devices().at(static_cast<std::size_t>(number));
  directives::Placed placed{.model = directives::model(), .devices = directives::devices()};
  directives::require_seen(device, placed);
  directives::use(number);
  placed.on_host = directives::on_host();
  void* memory = directives::allocate(sizeof(double));
  placed.memory_of = directives::owner(memory);
  directives::release(memory);
  directives::require_on(device, placed);
  chosen = device;
}

DeviceInfo current() { return chosen; }

bool has_clock() { return false; }

Stream::Stream(Priority) {}
// Not defaulted in the header, because on other platforms the destructor has something to release.
Stream::~Stream() {}  // NOLINT(modernize-use-equals-default)
void Stream::wait(Caller) const {}
void Stream::after(const Event&) const {}

Event::Event(Waiting) : event_(new double(0.0)) {}
Event::~Event() { delete static_cast<double*>(event_); }
void Event::record(const Stream&) const { moment(*this) = now(); }
void Event::wait(Caller) const {}
double Event::seconds_since(const Event& earlier) const { return moment(*this) - moment(earlier); }

namespace detail {

void* allocate(Space space, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (space != Space::device) return ::operator new(bytes, std::align_val_t{64});
  void* start = directives::allocate(bytes);
  if (start == nullptr) {
    throw Error("out of memory on " + chosen.name + " (" + chosen.identity + "): " + std::to_string(bytes) +
                " bytes were asked for, " + std::to_string(chosen.memory) + " are there in all");
  }
  return start;
}

void release(Space space, void* start) noexcept {
  if (start == nullptr) return;
  if (space == Space::device) return directives::release(start);
  ::operator delete(start, std::align_val_t{64});
}

void copy(void* to, const void* from, std::size_t bytes, const Stream&, Caller where) {
  if (bytes == 0) return;
  const bool back = directives::owner(to).empty();
  if (back ? directives::to_host(to, from, bytes) : directives::to_device(to, from, bytes)) return;
  throw Error("cannot copy " + std::to_string(bytes) + " bytes " + (back ? "from " : "to ") + chosen.name + " (at " +
              where.file + ":" + std::to_string(where.line) + ")");
}

}  // namespace detail
}  // namespace banzuke::gpu
