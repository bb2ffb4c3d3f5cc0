// Memory that all ranks of a host see, each at an address of its own. It belongs to no file system, so that a small
// /dev/shm does not limit it, and is freed with the last of them, however they end.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "core/communicator.hpp"

namespace banzuke {

class SharedMemory {
 public:
  // Collective. All zeros, and untouched: each page is placed where it is first touched. Throws a CommonFailure where
  // ranks are on several hosts, or the kernel refuses.
  SharedMemory(const Communicator& ranks, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void* data() const { return start_; }

 private:
  std::size_t bytes_;
  void* start_ = nullptr;
};

// An array of a type whose objects are valid when all their bytes are zero; atomic ones must be lock-free, since the
// ranks have no address of a lock in common.
template <class T>
class SharedArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  SharedArray(const Communicator& ranks, std::size_t size) : memory_(ranks, size * sizeof(T)), size_(size) {}

  T* data() const { return static_cast<T*>(memory_.data()); }
  T& operator[](std::size_t i) const { return data()[i]; }
  std::span<T> span() const { return {data(), size_}; }

 private:
  SharedMemory memory_;
  std::size_t size_;
};

}  // namespace banzuke
