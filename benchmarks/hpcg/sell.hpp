// A subset of a matrix's entries, stored for the kernels: SELL-8, each chunk as long as necessary. A slot has one entry
// of each row; the columns are within 2^16 of the slot's base, so that a column takes 2.5 bytes instead of 4. Rows
// whose columns are too far apart for that have their entries in different slots. Slots whose columns follow each other
// come first in a chunk and have the base alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/crs.hpp"
#include "kernels.hpp"
#include "ordering.hpp"

namespace banzuke::hpcg {

class Sell {
 public:
  // `row`: the row of `a` for each place, negative for none; its size is a multiple of the lanes. `chunks`: the first
  // chunk of each thread, and the end; each thread fills its own. `column_of(row, column)`: an entry's place in the
  // vector, or negative if it is not in the subset.
  template <class ColumnOf>
  Sell(const Crs& a, std::span<const std::int32_t> row, std::span<const std::int64_t> chunks,
       const ColumnOf& column_of);

  Entries entries() const { return {begin_.data(), apart_.data(), base_->data(), offset_->data(), value_->data()}; }
  double bytes() const {
    return static_cast<double>(2 * begin_.size() * sizeof(std::int64_t) + base_->size() * sizeof(std::int32_t) +
                               offset_->size() * sizeof(std::uint16_t) + value_->size() * sizeof(double));
  }

 private:
  // The data that a thread has stored before their final position is known.
  struct Part {
    std::vector<std::int32_t> base;
    std::vector<std::uint16_t> offset;
    std::vector<double> value;
  };
  using Row = std::vector<std::pair<std::int32_t, double>>;  // place in the vector and value

  // Returns how many of the slots have their columns apart.
  static std::int64_t add(std::array<Row, lanes>& rows, Part& part);
  void join(const std::vector<Part>& parts);

  std::vector<std::int64_t> begin_;
  std::vector<std::int64_t> apart_;
  std::unique_ptr<Array<std::int32_t>> base_;
  std::unique_ptr<Array<std::uint16_t>> offset_;
  std::unique_ptr<Array<double>> value_;
};

template <class ColumnOf>
Sell::Sell(const Crs& a, std::span<const std::int32_t> row, std::span<const std::int64_t> chunks,
           const ColumnOf& column_of) {
  const auto threads = static_cast<int>(chunks.size()) - 1;
  begin_.assign(row.size() / lanes + 1, 0);
  apart_.assign(begin_.size(), 0);
  std::vector<Part> parts(static_cast<std::size_t>(threads));
#pragma omp parallel for schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    Part& part = parts[static_cast<std::size_t>(thread)];
    std::array<Row, lanes> rows;
    for (std::int64_t chunk = chunks[thread]; chunk < chunks[thread + 1]; ++chunk) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        Row& one = rows[static_cast<std::size_t>(lane)];
        one.clear();
        const std::int32_t at = row[chunk * lanes + lane];
        if (at < 0) continue;
        const auto columns = a.columns_of(at);
        const auto values = a.values_of(at);
        for (std::size_t k = 0; k < columns.size(); ++k) {
          if (const std::int32_t place = column_of(at, columns[k]); place >= 0) one.emplace_back(place, values[k]);
        }
      }
      const auto before = static_cast<std::int64_t>(part.base.size());
      apart_[chunk + 1] = add(rows, part);
      begin_[chunk + 1] = static_cast<std::int64_t>(part.base.size()) - before;
    }
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::partial_sum(apart_.begin(), apart_.end(), apart_.begin());
  join(parts);
}

}  // namespace banzuke::hpcg
