// What host and device know of a matrix's layout.
#pragma once

#include <cstdint>

namespace banzuke::spmv {

// A row in several parts: which it is, how many they are, and the first of them.
struct CutRow {
  std::int32_t row = 0;
  std::int32_t parts = 0;
  std::int64_t first = 0;
};

// Of a place in SELL's chunks whose row is apart.
inline constexpr std::uint16_t no_row = 0xFFFF;

}  // namespace banzuke::spmv
