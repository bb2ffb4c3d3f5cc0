// Large arrays on huge or base pages, left untouched so that the kernels' threads first-touch them.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>

namespace banzuke {

// The pages under arrays.
enum class Pages {
  base,
  transparent,  // huge pages as far as the kernel can provide them
  reserved,     // huge pages from the reserved pool, of its default size
};
// Chooses the pages for all arrays from now on; the default is `transparent`. With `base`, the rest of the process uses
// base pages, too.
void use_pages(Pages pages);

// The pool of reserved pages has too few free pages for an array; the message says how many are needed and how many are
// free.
class PoolExhausted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the number of pages of the pool's default size that `bytes` need; 0 if the kernel has no such pool.
std::size_t reserved_pages(double bytes);

namespace detail {

// Maps anonymous memory with this protection that begins with a huge page, as mmap aligns only to base pages; nullptr
// if there is none.
void* map_aligned(std::size_t bytes, int protection);
// Maps anonymous memory on the chosen pages, aligned to them or to `huge_page`. Throws std::bad_alloc, PoolExhausted.
void* map_pages(std::size_t bytes);
void unmap_pages(void* start, std::size_t bytes) noexcept;
// Makes page_kind() count other memory as an array; call this before that memory is released.
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

// Returns the fraction of this process's anonymous memory that is on huge pages, as the kernel reports it; negative if
// unknown.
double huge_page_fraction();

// Returns the kind of pages that backed most of the largest array when it was released, as the kernel reports it:
// "base", "transparent", "reserved", or empty if unknown. If no array was as large as a huge page, a new array of that
// size is checked.
std::string_view page_kind();

}  // namespace banzuke
