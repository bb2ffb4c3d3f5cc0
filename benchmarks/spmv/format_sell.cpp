#include "format_sell.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "shares.hpp"

namespace banzuke::spmv {
namespace {

std::int64_t length_of(const Crs& matrix, std::int64_t row) {
  return matrix.start[static_cast<std::size_t>(row) + 1] - matrix.start[static_cast<std::size_t>(row)];
}

// Returns the row of the matrix at place `at` of the order.
std::int64_t row_at(const std::vector<std::int32_t>& order, std::int64_t at) {
  return order.empty() ? at : order[static_cast<std::size_t>(at)];
}

// Returns the length beyond which rows are stored separately in CRS and divided among all threads; in SELL such a row
// would make its chunk long and nearly empty.
std::int64_t longest_in_chunk(const Crs& matrix) {
  const std::int64_t mean = matrix.rows == 0 ? 0 : matrix.nonzeros() / matrix.rows;
  return std::max<std::int64_t>(256, 16 * mean);
}

// Lengths of the rows in chunks, where long rows are empty.
class Lengths {
 public:
  explicit Lengths(const Crs& matrix) : matrix_(matrix), longest_(longest_in_chunk(matrix)) {}
  bool is_long(std::int64_t row) const { return length_of(matrix_, row) > longest_; }
  std::int64_t operator()(std::int64_t row) const { return is_long(row) ? 0 : length_of(matrix_, row); }

 private:
  const Crs& matrix_;
  std::int64_t longest_;
};

// Returns the rows sorted by decreasing length within windows; empty for sigma = 1, which keeps their order.
std::vector<std::int32_t> sorted_rows(const Crs& matrix, std::int64_t sigma) {
  if (sigma == 1) return {};
  const Lengths length(matrix);
  std::vector<std::int32_t> order(static_cast<std::size_t>(matrix.rows));
  const std::int64_t windows = (matrix.rows + sigma - 1) / sigma;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t window = 0; window < windows; ++window) {
    const auto first = order.begin() + window * sigma;
    const auto last = order.begin() + std::min((window + 1) * sigma, matrix.rows);
    std::iota(first, last, static_cast<std::int32_t>(window * sigma));
    std::stable_sort(first, last, [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  }
  return order;
}

// Returns the number of entries before each chunk, and at the end that of all.
std::vector<std::int64_t> chunk_starts(const Crs& matrix, const std::vector<std::int32_t>& order) {
  const Lengths length(matrix);
  const std::int64_t chunks = (matrix.rows + chunk - 1) / chunk;
  std::vector<std::int64_t> start(static_cast<std::size_t>(chunks) + 1);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < chunks; ++i) {
    std::int64_t longest = 0;
    for (std::int64_t at = chunk * i; at < std::min(chunk * (i + 1), matrix.rows); ++at) {
      longest = std::max(longest, length(row_at(order, at)));
    }
    start[static_cast<std::size_t>(i) + 1] = chunk * longest;
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  return start;
}

std::vector<std::int64_t> long_rows(const Crs& matrix) {
  const Lengths length(matrix);
  std::vector<std::int64_t> found;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    if (length.is_long(row)) found.push_back(row);
  }
  return found;
}

Crs some_rows(const Crs& matrix, const std::vector<std::int64_t>& rows) {
  Crs some;
  some.rows = static_cast<std::int64_t>(rows.size());
  some.columns = matrix.columns;
  for (const std::int64_t row : rows) {
    const auto columns = matrix.columns_of(row);
    const auto values = matrix.values_of(row);
    some.column.insert(some.column.end(), columns.begin(), columns.end());
    some.value.insert(some.value.end(), values.begin(), values.end());
    some.start.push_back(static_cast<std::int64_t>(some.column.size()));
  }
  return some;
}

// Returns the number of rows of y that are computed before they are written by non-temporal stores; 0 if the matrix is
// not larger than the caches, or if there are too few windows to distribute evenly over the threads.
std::int64_t window_of(std::int64_t stored, std::int64_t rows, std::int64_t sigma, int shares) {
  const std::int64_t window = std::max<std::int64_t>(256, sigma);
  return stored > many_entries && rows / window >= 16 * shares ? window : 0;
}

// Returns the lowest column of each chunk; none if the columns of any chunk are too far apart for offsets of 16 bits.
std::vector<std::int32_t> lowest_columns(const Crs& matrix, const std::vector<std::int32_t>& order) {
  constexpr std::int32_t most = std::numeric_limits<std::uint16_t>::max();
  const Lengths length(matrix);
  std::vector<std::int32_t> lowest(static_cast<std::size_t>((matrix.rows + chunk - 1) / chunk));
  bool all_near = true;
#pragma omp parallel for schedule(static) reduction(&& : all_near)
  for (std::size_t i = 0; i < lowest.size(); ++i) {
    std::int32_t low = std::numeric_limits<std::int32_t>::max();
    std::int32_t high = 0;
    const auto first = chunk * static_cast<std::int64_t>(i);
    for (std::int64_t at = first; at < std::min(first + chunk, matrix.rows); ++at) {
      const std::int64_t row = row_at(order, at);
      if (length.is_long(row)) continue;
      for (const std::int32_t column : matrix.columns_of(row)) {
        low = std::min(low, column);
        high = std::max(high, column);
      }
    }
    lowest[i] = std::min(low, high);  // 0 if there are no entries
    all_near = all_near && high - lowest[i] <= most;
  }
  return all_near ? lowest : std::vector<std::int32_t>{};
}

}  // namespace

bool columns_near(const Crs& matrix) { return matrix.rows > 0 && !lowest_columns(matrix, {}).empty(); }

std::int64_t count_stored(const Crs& matrix, std::int64_t sigma) {
  const Lengths length(matrix);
  std::int64_t apart = 0;
#pragma omp parallel for schedule(static) reduction(+ : apart)
  for (std::int64_t row = 0; row < matrix.rows; ++row) apart += length_of(matrix, row) - length(row);
  return chunk_starts(matrix, sorted_rows(matrix, sigma)).back() + apart;
}

struct SellFormat::Layout {
  Layout(const Crs& matrix, std::int64_t wanted, int shares)
      : sigma(wanted),
        order(sorted_rows(matrix, sigma)),
        start(chunk_starts(matrix, order)),
        window(window_of(start.back(), matrix.rows, sigma, shares)),
        base(window > 0 ? lowest_columns(matrix, order) : std::vector<std::int32_t>{}),
        apart(long_rows(matrix)),
        apart_matrix(some_rows(matrix, apart)) {}

  std::int64_t sigma;
  std::vector<std::int32_t> order;
  std::vector<std::int64_t> start;
  std::int64_t window;
  std::vector<std::int32_t> base;
  std::vector<std::int64_t> apart;
  Crs apart_matrix;
};

SellFormat::SellFormat(const Crs& matrix, std::int64_t sigma, const Kernels& kernels, int shares)
    : SellFormat(matrix, Layout(matrix, sigma, shares), kernels, shares) {}

SellFormat::SellFormat(const Crs& matrix, const Layout& layout, const Kernels& kernels, int shares)
    : kernels_(kernels),
      rows_(matrix.rows),
      sigma_(layout.sigma),
      cuts_(cut_rows(layout.start, shares, chunk)),
      start_(layout.start.size()),
      base_(layout.base.size()),
      offset_(layout.base.empty() ? 0 : static_cast<std::size_t>(layout.start.back()) + overhang),
      column_(layout.base.empty() ? static_cast<std::size_t>(layout.start.back()) + overhang : 0),
      value_(static_cast<std::size_t>(layout.start.back()) + overhang),
      row_(layout.order.size()),
      window_(layout.window),
      buffers_(static_cast<std::size_t>(shares * window_)),
      long_rows_(layout.apart),
      long_sums_(long_rows_.size()),
      long_(layout.apart_matrix, Cut::anywhere, kernels, std::min(shares, sharers(layout.apart_matrix.nonzeros(), 0))) {
  const auto& order = layout.order;
  const auto& start = layout.start;
  const Lengths length(matrix);
  if (window_ > 0) {  // windows are not divided
    const std::int64_t chunks = window_ / chunk;
    for (auto& cut : cuts_)
      cut = std::min((cut + chunks / 2) / chunks * chunks, static_cast<std::int64_t>(start.size()) - 1);
    cuts_.back() = static_cast<std::int64_t>(start.size()) - 1;
  }
  each_share(shares, [&](int share) {
    const auto first = cuts_[static_cast<std::size_t>(share)];
    const auto last = cuts_[static_cast<std::size_t>(share) + 1];
    std::copy(start.data() + first, start.data() + last, start_.data() + first);
    if (near()) std::copy(layout.base.data() + first, layout.base.data() + last, base_.data() + first);
    for (std::int64_t at = chunk * first; at < chunk * last; ++at) {
      std::int64_t to = start[static_cast<std::size_t>(at / chunk)] + at % chunk;
      const std::int64_t end = start[static_cast<std::size_t>(at / chunk) + 1];
      const std::int32_t base = near() ? base_[static_cast<std::size_t>(at / chunk)] : 0;
      const auto put = [&](std::int64_t place, std::int32_t column) {
        const auto index = static_cast<std::size_t>(place);
        if (near()) {
          offset_[index] = static_cast<std::uint16_t>(column - base);
        } else {
          column_[index] = column;
        }
      };
      std::int32_t column = base;
      if (at < rows_) {
        const std::int64_t row = row_at(order, at);
        if (!order.empty()) row_[static_cast<std::size_t>(at)] = static_cast<std::uint16_t>(row & (sigma_ - 1));
        std::int64_t k = matrix.start[static_cast<std::size_t>(row)];
        for (const std::int64_t last_k = k + length(row); k < last_k; ++k, to += chunk) {
          column = matrix.column[static_cast<std::size_t>(k)];
          put(to, column);
          value_[static_cast<std::size_t>(to)] = matrix.value[static_cast<std::size_t>(k)];
        }
      }
      for (; to < end; to += chunk) put(to, column);  // a neighbour's x; the value is 0
    }
  });
  start_[start.size() - 1] = start.back();
}

SellArrays SellFormat::arrays(std::int64_t base) const {
  return {.start = start_.data() + base,
          .column = column_.data(),
          .value = value_.data(),
          .row = row_.size() > 0 ? row_.data() + chunk * base : nullptr,
          .sigma = sigma_,
          .offset = offset_.data(),
          .base = near() ? base_.data() + base : nullptr};
}

void SellFormat::multiply(std::int64_t base, std::int64_t begin, std::int64_t end, const double* x, double* y) const {
  const SellArrays a = arrays(base);
  const std::int64_t rows = rows_ - chunk * base;
  const std::int64_t whole = rows / chunk;
  const auto chunks = near() ? kernels_.chunks_near : window_ == 0 ? kernels_.chunks : kernels_.chunks_once;
  chunks(a, std::min(begin, whole), std::min(end, whole), x, y);
  if (end <= whole) return;
  std::array<double, chunk> sums{};  // results of the last chunk, which is not full
  SellArrays tail = arrays(base + whole);
  tail.row = nullptr;
  (near() ? kernels_.chunks_near : kernels_.chunks)(tail, 0, 1, x, sums.data());
  for (std::int64_t at = chunk * whole; at < rows; ++at) {
    const std::int64_t row = a.row == nullptr ? at : (at & -sigma_) + a.row[at];
    y[row] = sums[static_cast<std::size_t>(at % chunk)];
  }
}

void SellFormat::run(const double* x, double* y) {
  each_share(static_cast<int>(cuts_.size()) - 1, [&](int share) {
    const auto first = cuts_[static_cast<std::size_t>(share)];
    const auto last = cuts_[static_cast<std::size_t>(share) + 1];
    if (window_ == 0) {
      multiply(0, first, last, x, y);
      return;
    }
    double* buffer = buffers_.data() + share * window_;
    const std::int64_t chunks = window_ / chunk;
    for (std::int64_t base = first; base < last; base += chunks) {
      multiply(base, 0, std::min(chunks, last - base), x, buffer);
      kernels_.copy_out(y + chunk * base, buffer, std::min(window_, rows_ - chunk * base));
    }
    kernels_.fence();
  });
  if (long_rows_.empty()) return;
  long_.run(x, long_sums_.data());
  for (std::size_t i = 0; i < long_rows_.size(); ++i) y[long_rows_[i]] = long_sums_[i];
}

}  // namespace banzuke::spmv
