// A rank's rows of A split for the sweeps: neighbours of earlier stages, of later stages, the diagonal, and,
// separately, the blocks that need other ranks' values.
#pragma once

#include <cstdint>
#include <vector>

#include "assembly.hpp"
#include "core/array.hpp"
#include "kernels.hpp"
#include "schedule.hpp"

namespace banzuke::geofem {

// Graph of the own nodes that share an element.
Crs graph_of(const Domain& domain);

class Matrix {
 public:
  // `width`: rows side by side, 1 or Schedule::chunk. `cache`: bytes that may be taken to stay in the caches. Each
  // thread first-touches what it will use.
  Matrix(const Domain& domain, const Schedule& schedule, int width, double cache = 0.0);

  Rows rows() const;
  Outer outer() const;
  std::int64_t outer_chunks() const { return outer_chunks_; }
  // Stored blocks over non-zero blocks.
  double fill() const { return fill_; }

 private:
  struct Part {
    Part(std::vector<std::int64_t> starts, int width);
    Blocks blocks(bool cached) const { return {start.data(), value.data(), column.data(), cached}; }
    double bytes() const { return 8.0 * static_cast<double>(value.size()) + 4.0 * static_cast<double>(column.size()); }

    std::vector<std::int64_t> start;
    Array<double> value;
    Array<std::int32_t> column;
  };
  struct Counts {
    Counts(const Domain& domain, const Schedule& schedule, int width);

    std::vector<std::int64_t> lower, upper, outer;  // prefix sums of the blocks of a chunk
    std::vector<std::int32_t> outer_row;            // as in Outer
    double there = 0.0;                             // non-zero blocks of the rank's rows
  };

  Matrix(const Domain& domain, const Schedule& schedule, int width, double cache, Counts counts);

  int width_;
  Part lower_, upper_, outer_;
  Array<double> diagonal_, factor_;
  std::vector<std::int32_t> outer_row_;
  std::int64_t outer_chunks_;
  double fill_;
  bool cached_;
};

}  // namespace banzuke::geofem
