// A subset of a matrix's entries, stored for the kernels: SELL-8, each chunk as long as necessary. A slot has one entry
// of each row, or a zero for it, and 8.5, 9 or 10.5 bytes an entry: the columns of all of a chunk's slots follow each
// other (a line of points), are in two such runs (from one line to the next), or are within 2^16 of the slot's base.
// Rows whose columns are too far apart for that have their entries in different slots.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
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
  // vector, or negative if it is not in the subset. `places`: all below it may be read, though multiplied by 0.
  template <class ColumnOf>
  Sell(const Crs& a, std::span<const std::int32_t> row, std::span<const std::int64_t> chunks, std::int64_t places,
       const ColumnOf& column_of);

  Entries entries() const { return {chunk_.data(), base_->data(), second_->data(), offset_->data(), value_->data()}; }
  double bytes() const {
    return static_cast<double>(chunk_.size() * sizeof(Chunk) +
                               (base_->size() + second_->size()) * sizeof(std::int32_t) +
                               offset_->size() * sizeof(std::uint16_t) + value_->size() * sizeof(double));
  }

 private:
  using Row = std::vector<std::pair<std::int32_t, double>>;  // place in the vector and value
  using Diagonals = std::vector<std::int32_t>;               // places less lanes

  // The data that a thread has stored before their final position is known.
  struct Part {
    std::vector<std::int32_t> base{};
    std::vector<std::int32_t> second{};
    std::vector<std::uint16_t> offset{};
    std::vector<double> value{};

    // Return the chunk that the rows have been added as; its numbers are those within the part.
    Chunk add(std::array<Row, lanes>& rows, std::int64_t places);
    Chunk add_runs(const std::array<Row, lanes>& rows, std::uint32_t split, const std::array<Diagonals, 2>& runs);
    Chunk add_apart(const std::array<Row, lanes>& rows);
  };

  void join(const std::vector<Part>& parts, std::span<const std::int64_t> chunks);

  std::vector<Chunk> chunk_;
  std::unique_ptr<Array<std::int32_t>> base_;
  std::unique_ptr<Array<std::int32_t>> second_;
  std::unique_ptr<Array<std::uint16_t>> offset_;
  std::unique_ptr<Array<double>> value_;
};

template <class ColumnOf>
Sell::Sell(const Crs& a, std::span<const std::int32_t> row, std::span<const std::int64_t> chunks, std::int64_t places,
           const ColumnOf& column_of) {
  const auto threads = static_cast<int>(chunks.size()) - 1;
  chunk_.assign(row.size() / lanes + 1, {});
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
      chunk_[index(chunk)] = part.add(rows, places);
    }
  }
  join(parts, chunks);
}

}  // namespace banzuke::hpcg
