// Matrix layout and ways to multiply, shared by host and device.
#pragma once

#include <cstdint>

namespace banzuke::spmv {

// A row in several parts: its number, the number of parts, and the first part.
struct CutRow {
  std::int32_t row = 0;
  std::int32_t parts = 0;
  std::int64_t first = 0;
};

// How a thread schedules its loads: it issues those of several entries together (few or many; with many, fewer threads
// fit a multiprocessor), or loads values and columns while the previous entries are multiplied (ahead).
enum class Loads : std::uint8_t { few, many, ahead };
// Entries loaded together, and the minimum number of threads resident on a multiprocessor.
constexpr int entries_at_once(Loads loads) { return loads == Loads::many ? 8 : 4; }
constexpr int resident_threads(Loads loads) { return loads == Loads::few ? 1536 : loads == Loads::many ? 1024 : 1280; }

// A way to launch a product.
struct GpuWay {
  int sharers = 1;  // threads per CSR row, warps per SELL chunk
  Loads loads = Loads::few;
  bool once = false;  // the matrix bypasses the caches, to leave them to the vectors, as it should if it exceeds them
};

// Marks a place in SELL's chunks whose row is stored separately.
inline constexpr std::uint16_t no_row = 0xFFFF;

}  // namespace banzuke::spmv
