// Memory shared by all ranks of a host, at a different address in each. It is not in a file system, so a small /dev/shm
// does not limit it, and it is freed when the last rank ends, however it ends.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "core/communicator.hpp"

namespace banzuke {

class SharedMemory {
 public:
  // Collective. Zero-filled and untouched: each page is placed by first touch. Throws a CommonFailure if ranks are on
  // several hosts, or the kernel refuses.
  SharedMemory(const Communicator& ranks, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void* data() const { return start_; }
  // Puts these bytes, which this rank has touched, on huge pages, as far as they fill them and the kernel can; most
  // kernels give shared memory none by themselves. Their content stays, also for ranks that use it at the time.
  void collapse(std::size_t begin, std::size_t end) const;

 private:
  std::size_t bytes_;
  void* start_ = nullptr;
};

// An array of a type that is valid when all its bytes are zero; atomics must be lock-free, because the ranks share no
// address of a lock.
template <class T>
class SharedArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  SharedArray(const Communicator& ranks, std::size_t size) : memory_(ranks, size * sizeof(T)), size_(size) {}

  T* data() const { return static_cast<T*>(memory_.data()); }
  T& operator[](std::size_t i) const { return data()[i]; }
  std::span<T> span() const { return {data(), size_}; }
  // These elements, see SharedMemory.
  void collapse(std::size_t begin, std::size_t end) const { memory_.collapse(begin * sizeof(T), end * sizeof(T)); }

 private:
  SharedMemory memory_;
  std::size_t size_;
};

}  // namespace banzuke
