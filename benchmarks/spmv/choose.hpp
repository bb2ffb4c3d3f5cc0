// Chooses a matrix's format, from its row lengths and how full blocks would be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/crs.hpp"
#include "kernels.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {

struct Choice {
  std::string format;      // "crs", "merge", "sell" or "bcsr"
  std::int64_t sigma = 1;  // of SELL: rows per sorting window
  std::size_t shape = 0;   // of BCSR: index into `shapes`
};

// `format` is one of these or "auto". Throws UsageError if the stored entries would exceed `most_fill` times the
// non-zeros.
Choice choose(const Crs& matrix, const std::string& format, int threads);

// Returns the bytes of the matrix alone in the smallest of the formats: 12 per non-zero, or those of the best blocks.
double least_bytes(const Crs& matrix);

}  // namespace banzuke::spmv
