// The memory space as part of a pointer's type, so that a kernel cannot get an address that it cannot access, and host
// code cannot dereference a device's address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace banzuke::gpu {

enum class Space {
  host,    // host memory, pageable
  pinned,  // host memory, locked for transfers; kernels access it over the link
  device,
};

template <class T, Space S>
class Pointer {
 public:
  Pointer() = default;
  explicit Pointer(T* address) : address_(address) {}
  // Conversion to a pointer to const.
  template <class U>
    requires std::is_same_v<const U, T>
  Pointer(Pointer<U, S> other) : address_(other.address()) {}

  // Returns the address, for copies, libraries and kernels. Host code must not dereference a device's address.
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
