// Statistics of a matrix, published with its figures.
#pragma once

#include <cstdint>
#include <span>

#include "core/crs.hpp"

namespace banzuke::spmv {

struct Statistics {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t row_max = 0;
  std::int64_t empty_rows = 0;
  std::int64_t bandwidth = 0;  // largest |row - column|
  double row_mean = 0.0;
  double row_cv = 0.0;   // standard deviation of the row lengths over their mean; 0 if there are no entries
  double x_lines = 0.0;  // least lines of x that eight threads' caches of 1 MiB must load in a product, per non-zero
};

// Least lines of x of `line` elements that a cache of `capacity` lines must load while it serves these columns, however
// it replaces them: in a window that touches d distinct lines, at least d - capacity.
std::int64_t least_loads(std::span<const std::int32_t> columns, std::int64_t line, std::int64_t capacity);

// The same over threads that share the entries equally, each with a cache of its own.
std::int64_t least_loads_of(const Crs& matrix, std::int64_t threads, std::int64_t capacity);

// The least that such threads, at an equal pace, load into caches of that many lines together, which they share.
std::int64_t least_loads_together(const Crs& matrix, std::int64_t threads, std::int64_t capacity);

Statistics statistics(const Crs& matrix);

}  // namespace banzuke::spmv
