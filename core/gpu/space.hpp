// Where memory is, as part of a pointer's type: a kernel cannot be handed an address that it cannot reach, and host
// code cannot follow one of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace banzuke::gpu {

enum class Space {
  host,    // of the processors, pageable
  pinned,  // of the processors, locked for transfers; kernels reach it over the link
  device,
};

template <class T, Space S>
class Pointer {
 public:
  Pointer() = default;
  explicit Pointer(T* address) : address_(address) {}
  // What may be written may be read.
  template <class U>
    requires std::is_same_v<const U, T>
  Pointer(Pointer<U, S> other) : address_(other.address()) {}

  // For copies, libraries and kernels. Host code must not follow that of a device.
  T* address() const { return address_; }
  Pointer operator+(std::int64_t elements) const { return Pointer(address_ + elements); }

 private:
  T* address_ = nullptr;
};

template <class T>
using DevicePointer = Pointer<T, Space::device>;
template <class T>
using PinnedPointer = Pointer<T, Space::pinned>;
template <class T>
using HostPointer = Pointer<T, Space::host>;

}  // namespace banzuke::gpu
