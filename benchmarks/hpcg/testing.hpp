// Shared by the tests: patterns that are hard on orderings and storage, and the loops against which kernels are
// checked.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "core/crs.hpp"
#include "ordering.hpp"

namespace banzuke::hpcg {

inline std::vector<double> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> values(-1.0, 1.0);
  std::vector<double> out(static_cast<std::size_t>(count));
  for (auto& one : out) one = values(generator);
  return out;
}

// Has a symmetric pattern with a diagonal, `degree` entries per row on average, one full row if `dense`, and external
// columns in some rows.
inline Crs random_matrix(std::int64_t rows, std::int64_t degree, bool dense, std::int64_t external, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::set<std::int32_t>> columns(static_cast<std::size_t>(rows));
  const auto join = [&](std::int64_t i, std::int64_t j) {
    columns[static_cast<std::size_t>(i)].insert(static_cast<std::int32_t>(j));
    columns[static_cast<std::size_t>(j)].insert(static_cast<std::int32_t>(i));
  };
  std::uniform_int_distribution<std::int64_t> any(0, rows - 1);
  for (std::int64_t i = 0; i < rows; ++i) {
    join(i, i);
    for (std::int64_t k = 0; k < degree / 2; ++k) join(i, any(generator));
    if (dense) join(i, rows / 2);
  }
  for (std::int64_t i = 0; i < external; ++i) {
    columns[static_cast<std::size_t>(any(generator))].insert(static_cast<std::int32_t>(rows + i));
  }
  Crs a;
  a.rows = rows;
  a.columns = rows + external;
  std::uniform_real_distribution<double> values(-1.0, 1.0);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (const auto j : columns[static_cast<std::size_t>(i)]) {
      a.column.push_back(j);
      a.value.push_back(j == i ? 30.0 : values(generator));
    }
    a.start.push_back(static_cast<std::int64_t>(a.column.size()));
  }
  return a;
}

// Number of dependent pairs of rows within a stage.
inline std::int64_t conflicts(const Crs& a, const std::vector<std::int32_t>& stage) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    for (const auto column : a.columns_of(row)) {
      if (column >= a.rows || column == row) continue;
      count += static_cast<int>(stage[static_cast<std::size_t>(column)] == stage[static_cast<std::size_t>(row)]);
    }
  }
  return count;
}

}  // namespace banzuke::hpcg
