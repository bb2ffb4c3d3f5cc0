// Large arrays on huge pages, untouched until the kernels' own threads touch them.
#pragma once

#include <cstddef>
#include <span>

namespace banzuke {

namespace detail {

// Anonymous memory aligned to `huge_page` and advised to be on huge pages. Throws std::bad_alloc.
void* map_pages(std::size_t bytes);
void unmap_pages(void* start, std::size_t bytes) noexcept;

}  // namespace detail

inline constexpr std::size_t huge_page = std::size_t{2} << 20U;

template <class T>
class Array {
 public:
  // `skew` bytes (a multiple of the cache line) shift the first element, so that arrays used together do not
  // start in the same cache sets and memory banks.
  explicit Array(std::size_t size, std::size_t skew = 0)
      : bytes_(size * sizeof(T) + skew), start_(detail::map_pages(bytes_)), skew_(skew), size_(size) {}
  ~Array() { detail::unmap_pages(start_, bytes_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() { return reinterpret_cast<T*>(static_cast<char*>(start_) + skew_); }
  const T* data() const { return reinterpret_cast<const T*>(static_cast<const char*>(start_) + skew_); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  std::size_t bytes_;
  void* start_;
  std::size_t skew_;
  std::size_t size_;
};

// Share of this process's anonymous memory that is on huge pages (kernel's account); negative: unknown.
double huge_page_fraction();

}  // namespace banzuke
