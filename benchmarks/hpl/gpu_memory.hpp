// Which columns of the matrix a device holds, and what memory that takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hpl.hpp"

namespace banzuke::hpl {

inline std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

// The device holds the last columns throughout, and two slabs of the others (gpu_slabs.hpp).
struct Streaming {
  std::int64_t columns = 0;  // the first ones, in host memory; 0: the device holds all
  std::int64_t slab = 0;     // columns of a slab

  std::int64_t slabs() const { return slab > 0 ? (columns + slab - 1) / slab : 0; }
  std::int64_t end_of(std::int64_t number) const { return std::min((number + 1) * slab, columns); }
};

// How a device with so many bytes of memory holds the matrix; 0 bytes: unknown.
Streaming streaming_on(const Params& params, std::size_t device_memory);
Problem memory_with(const Params& params, const Streaming& how);

// Numbers of the factors of a panel that begins at row `first`, as they stream: the inverse of L1, then the body, which
// begins on a whole line.
std::int64_t factors_size(const Params& params, std::int64_t first);
constexpr std::int64_t body_of_factors(std::int64_t width) { return (width * width + 7) / 8 * 8; }

}  // namespace banzuke::hpl
