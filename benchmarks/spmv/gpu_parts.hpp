// What host and device know of a matrix's layout, and of the ways to multiply it.
#pragma once

#include <cstdint>

namespace banzuke::spmv {

// A row in several parts: which it is, how many they are, and the first of them.
struct CutRow {
  std::int32_t row = 0;
  std::int32_t parts = 0;
  std::int64_t first = 0;
};

// How a thread's loads follow one another: those of so many entries go out together, more of them with fewer threads
// on a multiprocessor; or values and columns are loaded while the entries before them are multiplied.
enum class Loads : std::uint8_t { few, many, ahead };
// Entries at a time, and threads that are resident on a multiprocessor at least.
constexpr int entries_at_once(Loads loads) { return loads == Loads::many ? 8 : 4; }
constexpr int resident_threads(Loads loads) { return loads == Loads::few ? 1536 : loads == Loads::many ? 1024 : 1280; }

// A way to launch a product.
struct GpuWay {
  int sharers = 1;  // threads of a row of CSR, warps of a chunk of SELL
  Loads loads = Loads::few;
  bool once = false;  // the matrix leaves the caches to the vectors, as it should where it is larger than they are
};

// Marks a place in SELL's chunks whose row is apart.
inline constexpr std::uint16_t no_row = 0xFFFF;

}  // namespace banzuke::spmv
