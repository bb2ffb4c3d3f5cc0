// Devices, their memory, streams and events. Implementations, chosen at link time: CUDA and HIP (runtime.cpp, for
// either), directives (directives/runtime.cpp) and, only for tests, a device that the processor emulates
// (emulated/runtime.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include "core/gpu/caller.hpp"
#include "core/gpu/device.hpp"
#include "core/gpu/space.hpp"

namespace banzuke::gpu {

// Makes a previously used device current: what follows, notably launches and events, applies to it.
void turn_to(int number);
// Returns whether `device` can access the memory of `other`; if so, enables access. False for a device and itself.
bool reach(int device, int other);
// Returns whether they are connected by direct links (NVLink or Infinity Fabric) rather than by PCI Express.
bool linked(int device, int other);

// Returns whether events use the device's clock; else they use the host's, read when all queued work is done.
bool has_clock();

class Event;

// Thread blocks of `first` are started before waiting ones of `usual`.
enum class Priority { first, usual };

// A queue of work, executed in order.
class Stream {
 public:
  explicit Stream(Priority priority = Priority::usual);  // on the current device
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void wait(Caller where = Caller::here()) const;  // until all work is done
  void after(const Event& event) const;            // later work waits for the event
  void* native() const { return stream_; }

 private:
  void* stream_ = nullptr;
};

// How the host waits for an event: `awake` sees it microseconds earlier, `asleep` yields its processor.
enum class Waiting { awake, asleep };

// A moment in a stream, by the device's clock if it has one.
class Event {
 public:
  Event() : Event(Waiting::awake) {}
  explicit Event(Waiting waiting);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream) const;
  void wait(Caller where = Caller::here()) const;
  double seconds_since(const Event& earlier) const;  // both must have completed
  void* native() const { return event_; }

 private:
  void* event_ = nullptr;
};

// Blocks a stream from construction on: work queued behind it starts when it opens, so that the device need not wait
// for the host's next call. Queue only kernels that were launched before: CUDA loads a kernel at its first launch,
// which may wait for all the work that the gate blocks.
class Gate {
 public:
  explicit Gate(const Stream& stream);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Returns false if it had opened by itself after 10 s, as it does if the host got stuck behind it.
  bool open();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Locks host memory allocated elsewhere, such as a shared mapping, for transfers during this object's lifetime: copies
// from and to it run at the link's rate and asynchronously to the host.
class Pinning {
 public:
  // If the system refuses, the memory stays as it is, and why() gives the reason.
  Pinning(void* start, std::size_t bytes);
  ~Pinning();
  Pinning(const Pinning&) = delete;
  Pinning& operator=(const Pinning&) = delete;

  bool locked() const { return why_.empty(); }
  const std::string& why() const { return why_; }

 private:
  void* start_;
  std::string why_{};
};

namespace detail {

// Throws Error; when out of memory, too (instead of std::bad_alloc), saying how much is free.
void* allocate(Space space, std::size_t bytes);
void release(Space space, void* start) noexcept;
// Either end may be in any memory, including another device's.
void copy(void* to, const void* from, std::size_t bytes, const Stream& stream, Caller where);
void set(void* to, int byte, std::size_t bytes, const Stream& stream);
// Throws if the preceding launch failed.
void launched(const Stream& stream, Caller where = Caller::here());

}  // namespace detail

// An uninitialised array of elements that need no construction; device arrays are on the current device.
template <class T, Space S>
class Buffer {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit Buffer(std::size_t size) : start_(static_cast<T*>(detail::allocate(S, size * sizeof(T)))), size_(size) {}

  Pointer<T, S> data() { return Pointer<T, S>(start_.get()); }
  Pointer<const T, S> data() const { return Pointer<const T, S>(start_.get()); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::span<T> span()
    requires(S != Space::device)
  {
    return {start_.get(), size_};
  }
  std::span<const T> span() const
    requires(S != Space::device)
  {
    return {start_.get(), size_};
  }

 private:
  struct Release {
    void operator()(T* start) const { detail::release(S, start); }
  };
  std::unique_ptr<T, Release> start_;
  std::size_t size_;
};

template <class T>
using DeviceBuffer = Buffer<T, Space::device>;
template <class T>
using PinnedBuffer = Buffer<T, Space::pinned>;

// Queues a copy of `elements` elements.
template <class T, class U, Space To, Space From>
  requires std::is_same_v<std::remove_const_t<U>, T>
void copy(Pointer<T, To> to, Pointer<U, From> from, std::size_t elements, const Stream& stream,
          Caller where = Caller::here()) {
  detail::copy(to.address(), from.address(), elements * sizeof(T), stream, where);
}

// Queues setting every byte of `elements` elements.
template <class T, Space S>
void set_bytes(Pointer<T, S> to, int byte, std::size_t elements, const Stream& stream) {
  detail::set(to.address(), byte, elements * sizeof(T), stream);
}

// Copies a whole array and waits for completion.
template <class T>
void upload(DeviceBuffer<T>& to, std::span<const T> from, const Stream& stream) {
  copy(to.data(), Pointer<const T, Space::host>(from.data()), from.size(), stream);
  stream.wait();
}
template <class T>
void download(std::span<T> to, const DeviceBuffer<T>& from, const Stream& stream) {
  copy(Pointer<T, Space::host>(to.data()), from.data(), to.size(), stream);
  stream.wait();
}
// A device array with these values.
template <std::ranges::contiguous_range Values, class T = std::ranges::range_value_t<Values>>
DeviceBuffer<T> on_device(const Values& values, const Stream& stream) {
  DeviceBuffer<T> buffer(values.size());
  if (buffer.size() > 0) upload(buffer, std::span<const T>(values), stream);
  return buffer;
}

}  // namespace banzuke::gpu
