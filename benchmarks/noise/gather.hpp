// Gathers on rank 0 from all processors: sums, one figure for each, and the samples of as many as fit in a record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "noise.hpp"

namespace banzuke::noise {

inline constexpr std::int64_t most_values = 4'000'000;  // of a series

// A figure for every processor of all ranks, ordered by rank, then thread.
class Figures {
 public:
  // Collective; `own` by thread, each above -1.
  Figures(const Communicator& ranks, const std::vector<double>& own);

  std::vector<double> all() const;
  double largest() const;
  // Returns, for each of this rank's threads, whether its figure is among the `most` largest.
  std::vector<bool> among_largest(std::size_t most) const;

 private:
  std::size_t first_;  // position of own thread 0
  std::size_t threads_;
  std::vector<double> values_;  // -1 if a rank has fewer threads than another
};

// The values of a processor, in steps.
struct Line {
  int thread = 0;
  int cpu = 0;
  std::int64_t base = 0;  // steps
  std::vector<std::int64_t> values;
};
// Returns the lines of all ranks, on rank 0; `processors` is the number measured. Collective.
Series gather_series(const Communicator& ranks, const std::vector<Line>& own, const std::string& unit,
                     double resolution, std::size_t processors);

// Returns sums by name, on rank 0, the largest first. Each rank contributes its twelve largest; the others are
// combined. Collective.
Counts gather_counts(const Communicator& ranks, Counts own);

}  // namespace banzuke::noise
