// Histogram of values: exact below 1000 steps, to three digits above, so that the ranks' histograms can be added.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/record.hpp"

namespace banzuke::noise {

class Histogram {
 public:
  Histogram();

  void add(std::int64_t value);  // at least 0
  std::span<double> counts() { return counts_; }

  // Returns the smallest value that at least the fraction `share` of all values do not exceed.
  std::int64_t percentile(double share) const;
  double total() const;
  Distribution distribution() const;  // in ns

 private:
  std::vector<double> counts_;  // by bin
};

// The bin of a value, and the largest value of a bin: from 1000 on rounded up to three digits.
std::size_t bin_of(std::int64_t value);
std::int64_t value_of(std::size_t bin);

}  // namespace banzuke::noise
