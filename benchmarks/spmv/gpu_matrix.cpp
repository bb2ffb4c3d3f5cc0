#include "gpu_matrix.hpp"

#include <algorithm>
#include <numeric>

namespace banzuke::spmv {
namespace {

std::int64_t length_of(const Crs& matrix, std::int64_t row) {
  return matrix.start[index(row) + 1] - matrix.start[index(row)];
}

// Returns the number of entries of a part, so small that there are several parts for each warp that a large device runs
// at once, so that all finish at about the same time.
std::int64_t entries_of_part(std::int64_t nonzeros) {
  constexpr std::int64_t parts = 32768;
  return std::clamp<std::int64_t>(nonzeros / parts, 256, 4096);
}

// Lengths of the rows in chunks, where rows stored separately are empty.
class Lengths {
 public:
  Lengths(const Crs& matrix, std::int64_t longest) : matrix_(matrix), longest_(longest) {}
  bool is_apart(std::int64_t row) const { return length_of(matrix_, row) > longest_; }
  std::int64_t operator()(std::int64_t row) const { return is_apart(row) ? 0 : length_of(matrix_, row); }

 private:
  const Crs& matrix_;
  std::int64_t longest_;
};

std::vector<std::int32_t> by_length(const Crs& matrix, std::int64_t sigma, const Lengths& length) {
  std::vector<std::int32_t> order(index(matrix.rows));
  std::iota(order.begin(), order.end(), 0);
  if (sigma == 1) return order;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t first = 0; first < matrix.rows; first += sigma) {
    std::stable_sort(order.begin() + first, order.begin() + std::min(first + sigma, matrix.rows),
                     [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  }
  return order;
}

std::vector<std::int64_t> chunk_offsets(const Crs& matrix, const std::vector<std::int32_t>& order,
                                        const Lengths& length) {
  const std::int64_t chunks = (matrix.rows + gpu_chunk - 1) / gpu_chunk;
  std::vector<std::int64_t> start(index(chunks) + 1);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < chunks; ++i) {
    std::int64_t longest = 0;
    for (std::int64_t at = gpu_chunk * i; at < std::min(gpu_chunk * (i + 1), matrix.rows); ++at) {
      longest = std::max(longest, length(order[index(at)]));
    }
    start[index(i) + 1] = gpu_chunk * longest;
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  return start;
}

std::vector<std::int32_t> rows_apart(const Crs& matrix, const Lengths& length) {
  std::vector<std::int32_t> found;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    if (length.is_apart(row)) found.push_back(static_cast<std::int32_t>(row));
  }
  return found;
}

Crs some_rows(const Crs& matrix, const std::vector<std::int32_t>& rows) {
  Crs some{.rows = static_cast<std::int64_t>(rows.size()), .columns = matrix.columns, .column = {}, .value = {}};
  for (const std::int32_t row : rows) {
    const auto columns = matrix.columns_of(row);
    const auto values = matrix.values_of(row);
    some.column.insert(some.column.end(), columns.begin(), columns.end());
    some.value.insert(some.value.end(), values.begin(), values.end());
    some.start.push_back(static_cast<std::int64_t>(some.column.size()));
  }
  return some;
}

// Returns the length beyond which a row is stored separately, because it would delay its chunk: a chunk has 32 times
// the entries of its longest row, and few warps work on it.
std::int64_t longest_in_chunk(const Crs& matrix) {
  const std::int64_t mean = matrix.rows == 0 ? 0 : matrix.nonzeros() / matrix.rows;
  return std::max<std::int64_t>(64, 4 * mean);
}

}  // namespace

RowParts part_rows(const Crs& matrix, const std::vector<std::int32_t>& names) {
  const std::int64_t most = entries_of_part(matrix.nonzeros());
  std::int64_t longest = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) longest = std::max(longest, length_of(matrix, row));
  if (longest <= most && names.empty()) return {.start = matrix.start};
  RowParts out;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int32_t name = names.empty() ? static_cast<std::int32_t>(row) : names[index(row)];
    const std::int64_t end = matrix.start[index(row) + 1];
    const std::int64_t parts = std::max<std::int64_t>(1, (length_of(matrix, row) + most - 1) / most);
    if (parts > 1) out.cut.push_back({name, static_cast<std::int32_t>(parts), std::ssize(out.row)});
    out.row.insert(out.row.end(), index(parts), parts > 1 ? ~static_cast<std::int32_t>(out.cut.size() - 1) : name);
    for (std::int64_t part = 1; part < parts; ++part) out.start.push_back(out.start.back() + most);
    out.start.push_back(end);
  }
  return out;
}

SellLayout sell_layout(const Crs& matrix, std::int64_t sigma, std::int64_t longest) {
  const Lengths length(matrix, longest);
  SellLayout out{.sigma = sigma, .longest = longest, .order = by_length(matrix, sigma, length)};
  out.start = chunk_offsets(matrix, out.order, length);
  if (matrix.nonzeros() == 0) return out;
  std::int64_t apart = 0;
#pragma omp parallel for schedule(static) reduction(+ : apart)
  for (std::int64_t row = 0; row < matrix.rows; ++row) apart += length_of(matrix, row) - length(row);
  out.fill = static_cast<double>(out.start.back() + apart) / static_cast<double>(matrix.nonzeros());
  return out;
}

SellLayout sell_layout(const Crs& matrix) {
  constexpr double enough = 1.05;
  const std::int64_t longest = longest_in_chunk(matrix);
  SellLayout best = sell_layout(matrix, 1, longest);
  for (const std::int64_t sigma : {256, 4096, 16384}) {
    if (best.fill <= enough) break;
    SellLayout found = sell_layout(matrix, sigma, longest);
    if (found.fill < best.fill) best = std::move(found);
  }
  return best;
}

GpuSell gpu_sell(const Crs& matrix, const SellLayout& layout) {
  const Lengths length(matrix, layout.longest);
  const auto chunks = std::ssize(layout.start) - 1;
  GpuSell out{.sigma = layout.sigma, .start = layout.start};
  out.row.assign(index(chunks * gpu_chunk), no_row);
  out.column.assign(index(out.start.back()), 0);
  out.value.assign(index(out.start.back()), 0.0);
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < matrix.rows; ++at) {
    const std::int32_t row = layout.order[index(at)];
    if (length.is_apart(row)) continue;
    out.row[index(at)] = static_cast<std::uint16_t>(row & (layout.sigma - 1));
    const auto columns = matrix.columns_of(row);
    const auto values = matrix.values_of(row);
    const std::int64_t first = out.start[index(at / gpu_chunk)] + at % gpu_chunk;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto place = index(first) + k * static_cast<std::size_t>(gpu_chunk);
      out.column[place] = columns[k];
      out.value[place] = values[k];
    }
  }
  const auto apart = rows_apart(matrix, length);
  if (apart.empty()) return out;
  out.apart = some_rows(matrix, apart);
  out.parts = part_rows(out.apart, apart);
  return out;
}

}  // namespace banzuke::spmv
