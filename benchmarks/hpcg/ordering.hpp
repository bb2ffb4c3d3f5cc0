// The order in which Gauss-Seidel processes rows: consecutive stages of mutually independent rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/crs.hpp"
#include "core/team.hpp"

namespace banzuke::hpcg {

// The stage of each row. Both use only the pattern of the local rows, which must be symmetric. A row's stage is one
// more than the last stage of the earlier rows that it depends on, so that sweeps over the stages are equivalent to
// sweeps over the rows in their own order.
std::vector<std::int32_t> dependency_levels(const Crs& a);
// Few stages of many rows: greedy colouring; each row takes the first colour not used by earlier rows that it depends
// on. The first colour comes last: a coarse grid's points may all have it, and the backward sweep's last stage has no
// residual.
std::vector<std::int32_t> colours(const Crs& a);

std::vector<std::int32_t> stages_of(const Crs& a, const std::string& ordering);

inline constexpr std::int64_t lanes = 8;  // rows of a chunk, which kernels process together

// Where rows are stored: thread by thread, stage by stage, in chunks within one stage; in their own order there,
// in which neighbouring rows have neighbouring columns.
struct Layout {
  Layout(std::vector<std::int32_t> stage_of_rows, const Parts& threads);

  std::int64_t chunks() const { return static_cast<std::int64_t>(row.size()) / lanes; }
  std::int64_t stages() const { return static_cast<std::int64_t>(first.front().size()) - 1; }
  // Returns whether Gauss-Seidel processes `one` before `other`, which depends on it.
  bool before(std::int32_t one, std::int32_t other) const {
    return stage[static_cast<std::size_t>(one)] < stage[static_cast<std::size_t>(other)];
  }
  // Returns a column's place in a vector; external rows follow this rank's.
  std::int32_t place_of(std::int32_t column) const {
    const auto rows = static_cast<std::int32_t>(place.size());
    return column < rows ? place[static_cast<std::size_t>(column)]
                         : column - rows + static_cast<std::int32_t>(row.size());
  }

  std::vector<std::int32_t> stage;               // by row
  std::vector<std::int32_t> row;                 // by place; negative: padding, whose values stay 0
  std::vector<std::int32_t> place;               // by row
  std::vector<std::vector<std::int64_t>> first;  // by thread and stage: its first chunk; plus the end
};

}  // namespace banzuke::hpcg
