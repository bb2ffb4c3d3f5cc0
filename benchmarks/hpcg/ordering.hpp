// In which order Gauss-Seidel takes the rows: stages one after another, whose rows do not depend on each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/crs.hpp"
#include "core/team.hpp"

namespace banzuke::hpcg {

// By row: its stage. Both look at the pattern of the local rows alone, which must be symmetric.
// A row's stage is one after the last of those of the rows before it that it depends on: sweeps over the stages do just
// what sweeps over the rows in their own order do.
std::vector<std::int32_t> dependency_levels(const Crs& a);
// Few stages of many rows: each row takes the first colour that no row before it that it depends on has. The first
// colour comes last: a coarse grid's points may all have it, and the backward sweep's last stage has no residual.
std::vector<std::int32_t> colours(const Crs& a);

std::vector<std::int32_t> stages_of(const Crs& a, const std::string& ordering);

inline constexpr std::int64_t lanes = 8;  // rows of a chunk, which kernels take at once

// Where rows are stored: thread by thread, stage by stage, in chunks of one stage; equal rows side by side.
struct Layout {
  Layout(const Crs& a, std::vector<std::int32_t> stage_of_rows, const Parts& threads);

  std::int64_t chunks() const { return static_cast<std::int64_t>(row.size()) / lanes; }
  std::int64_t stages() const { return static_cast<std::int64_t>(first.front().size()) - 1; }
  // Whether Gauss-Seidel takes a row before another one, which depends on it.
  bool before(std::int32_t one, std::int32_t other) const {
    return stage[static_cast<std::size_t>(one)] < stage[static_cast<std::size_t>(other)];
  }
  // A column of the matrix as a place in a vector; external rows follow the own ones.
  std::int32_t place_of(std::int32_t column) const {
    const auto rows = static_cast<std::int32_t>(place.size());
    return column < rows ? place[static_cast<std::size_t>(column)]
                         : column - rows + static_cast<std::int32_t>(row.size());
  }

  std::vector<std::int32_t> stage;               // by row
  std::vector<std::int32_t> row;                 // by place; negative: none, its values stay 0
  std::vector<std::int32_t> place;               // by row
  std::vector<std::vector<std::int64_t>> first;  // by thread and stage: its first chunk; one more ends the last
};

}  // namespace banzuke::hpcg
