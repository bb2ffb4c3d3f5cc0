// A sparse matrix, or its pattern, in CRS format: what sparse codes exchange, and what the plain reference loops use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace banzuke {

// Row numbers are signed, vector sizes are not.
inline std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

struct Crs {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> start = {0};  // rows + 1 offsets into `column` and `value`
  std::vector<std::int32_t> column;
  std::vector<double> value;

  std::int64_t nonzeros() const { return start.back(); }
  std::span<const std::int32_t> columns_of(std::int64_t row) const { return part(column, row); }
  std::span<const double> values_of(std::int64_t row) const { return part(value, row); }

 private:
  template <class T>
  std::span<const T> part(const std::vector<T>& all, std::int64_t row) const {
    const auto first = start[index(row)];
    return {all.data() + first, index(start[index(row) + 1] - first)};
  }
};

}  // namespace banzuke
