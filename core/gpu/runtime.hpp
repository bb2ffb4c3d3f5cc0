// Devices, their memory, streams and events. Implementations, chosen by the linker: CUDA and HIP (runtime.cpp, for
// either), directives (directives/runtime.cpp) and, for tests alone, a device that the processor emulates
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

// Makes a device current that was used before: what follows, launches and events above all, is of it.
void turn_to(int number);
// Whether the first can reach the memory of the second; allowed from then on. False for a device and itself.
bool reach(int device, int other);
// Whether they reach each other by links of their own, NVLink or Infinity Fabric, and not by PCI Express.
bool linked(int device, int other);

// Whether events have the device's clock; else the host's, read when all that was queued is done.
bool has_clock();

class Event;

// Blocks of threads of the first kind are begun before those that wait of the other.
enum class Priority { first, usual };

// Work that is done in the order in which it was queued.
class Stream {
 public:
  explicit Stream(Priority priority = Priority::usual);  // of the current device
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void wait(Caller where = Caller::here()) const;  // until all is done
  void after(const Event& event) const;            // what follows waits for that
  void* native() const { return stream_; }

 private:
  void* stream_ = nullptr;
};

// How the host waits for an event: awake it sees it microseconds earlier, asleep it leaves its processor to others.
enum class Waiting { awake, asleep };

// A moment in a stream, by the device's clock where there is one.
class Event {
 public:
  Event() : Event(Waiting::awake) {}
  explicit Event(Waiting waiting);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream) const;
  void wait(Caller where = Caller::here()) const;
  double seconds_since(const Event& earlier) const;  // both have passed
  void* native() const { return event_; }

 private:
  void* event_ = nullptr;
};

// Holds a stream back from the moment in which it is made: what is queued behind it begins when it opens, so that the
// device need not wait for the host's next call. Of kernels only those may be queued that were launched before: CUDA
// loads a kernel at its first launch, which may wait for all that the gate holds back.
class Gate {
 public:
  explicit Gate(const Stream& stream);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // False: it opened itself after 10 s, as it does where the host got stuck behind it.
  bool open();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Memory of the processors that somebody else has allocated, such as a mapping that processes share, locked for
// transfers as long as this lives: copies from and to it run at the link's rate, beside the host.
class Pinning {
 public:
  // Where the system does not lock it the memory stays as it is, and why() says so.
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

// Throws Error; std::bad_alloc's part is taken by an Error that says what is free.
void* allocate(Space space, std::size_t bytes);
void release(Space space, void* start) noexcept;
// Either end may be anywhere, other devices included.
void copy(void* to, const void* from, std::size_t bytes, const Stream& stream, Caller where);
void set(void* to, int byte, std::size_t bytes, const Stream& stream);
// Throws where the launch before it failed.
void launched(const Stream& stream, Caller where = Caller::here());

}  // namespace detail

// An array of elements that need no construction, unset; on the device, of the one that is current.
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

// Queues a copy of so many elements.
template <class T, class U, Space To, Space From>
  requires std::is_same_v<std::remove_const_t<U>, T>
void copy(Pointer<T, To> to, Pointer<U, From> from, std::size_t elements, const Stream& stream,
          Caller where = Caller::here()) {
  detail::copy(to.address(), from.address(), elements * sizeof(T), stream, where);
}

// Queues it: every byte of so many elements.
template <class T, Space S>
void set_bytes(Pointer<T, S> to, int byte, std::size_t elements, const Stream& stream) {
  detail::set(to.address(), byte, elements * sizeof(T), stream);
}

// Copies a whole array and waits for it.
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
// An array with these values.
template <std::ranges::contiguous_range Values, class T = std::ranges::range_value_t<Values>>
DeviceBuffer<T> on_device(const Values& values, const Stream& stream) {
  DeviceBuffer<T> buffer(values.size());
  if (buffer.size() > 0) upload(buffer, std::span<const T>(values), stream);
  return buffer;
}

}  // namespace banzuke::gpu
