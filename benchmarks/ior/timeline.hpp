// Bytes moved over time, in constant memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace banzuke::ior {

class Timeline {
 public:
  static constexpr std::size_t intervals = 256;
  static constexpr double footprint = 8.0 * intervals;

  // Adds `bytes` that had been moved by `seconds` after the beginning.
  void add(double seconds, double bytes) {
    while (seconds >= width_ * static_cast<double>(intervals)) widen();
    bytes_[static_cast<std::size_t>(seconds / width_)] += bytes;
  }
  // The length of an interval in seconds, and its doubling.
  double width() const { return width_; }
  void widen();

  const std::vector<double>& bytes() const { return bytes_; }

 private:
  double width_ = 0x1p-10;
  std::vector<double> bytes_ = std::vector<double>(intervals);
};

}  // namespace banzuke::ior
