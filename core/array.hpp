// Large arrays on huge pages or others, untouched until the kernels' own threads touch them.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>

namespace banzuke {

// Pages that arrays are made of.
enum class Pages {
  base,
  transparent,  // huge ones as far as the kernel finds any
  reserved,     // huge ones from the pool that was set aside, of its default size
};
// Of all arrays from now on; until it is called they are transparent. With base ones the rest of the process is on base
// pages too.
void use_pages(Pages pages);

// The pool of reserved pages has too few for an array; says how many are needed and how many are free.
class PoolExhausted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of the size that the pool has by default, for so many bytes; 0: the kernel has none.
std::size_t reserved_pages(double bytes);

namespace detail {

// Anonymous memory on such pages, aligned to them or to `huge_page`. Throws std::bad_alloc, PoolExhausted.
void* map_pages(std::size_t bytes);
void unmap_pages(void* start, std::size_t bytes) noexcept;
// Counts other memory as an array in page_kind(), before it is given back.
void note_pages(const void* start, std::size_t bytes) noexcept;

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

// What most of the largest array lay on when it was given back, by the kernel's account: "base", "transparent",
// "reserved"; empty: the kernel does not say. Where no array has had a huge page's size, what one of it lies on.
std::string_view page_kind();

}  // namespace banzuke
