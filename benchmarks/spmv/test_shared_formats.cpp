#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "choose.hpp"
#include "core/array.hpp"
#include "core/random.hpp"
#include "format_bcsr.hpp"
#include "format_crs.hpp"
#include "format_sell.hpp"
#include "kernel_choice.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {
namespace {

// Makes a matrix whose rows' columns begin at a pseudo-random place and are `step` apart.
Crs made(std::int64_t columns, const std::vector<std::int64_t>& lengths, std::int64_t step = 1) {
  Crs matrix;
  matrix.rows = static_cast<std::int64_t>(lengths.size());
  matrix.columns = columns;
  std::uint64_t entry = 0;
  for (const std::int64_t length : lengths) {
    const auto room = static_cast<double>(columns - (length - 1) * step);
    const auto first = static_cast<std::int64_t>((uniform(1, entry + lengths.size()) + 0.5) * room);
    for (std::int64_t k = 0; k < length; ++k) {
      matrix.column.push_back(static_cast<std::int32_t>(first + k * step));
      matrix.value.push_back(uniform(2, entry++));
    }
    matrix.start.push_back(static_cast<std::int64_t>(matrix.column.size()));
  }
  return matrix;
}

std::vector<std::int64_t> repeated(std::int64_t rows, const std::function<std::int64_t(std::int64_t)>& length) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) lengths.push_back(length(row));
  return lengths;
}

struct Case {
  std::string name;
  Crs matrix;
};

std::vector<Case> awkward() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, Crs matrix) { cases.push_back({name, std::move(matrix)}); };
  add("0 x 0", made(0, {}));
  add("no rows", made(5, {}));
  add("no columns", made(0, {0, 0, 0}));
  add("1 x 1", made(1, {1}));
  add("one column", made(1, repeated(37, [](auto row) { return row % 3 != 0 ? 1 : 0; })));
  add("one row", made(1000, {777}));
  add("only empty rows", made(9, repeated(21, [](auto) { return 0; })));
  add("three rows, long", made(9000, {8999, 0, 4001}));
  add("first and last rows empty", made(50, {0, 0, 7, 8, 9, 15, 16, 17, 0, 0}));
  add("every length", made(64, repeated(65, [](auto row) { return row; })));
  add("every length, far apart", made(700, repeated(65, [](auto row) { return row; }), 10));
  add("two a row", made(333, repeated(1003, [](auto) { return 2; })));
  add("one dense row", made(3000, repeated(515, [](auto row) { return row == 300 ? 3000 : row % 5; })));
  add("dense rows last", made(600, repeated(258, [](auto row) { return row > 255 ? 600 : 3; })));
  add("decreasing", made(400, repeated(399, [](auto row) { return 399 - row; })));
  add("dense", made(33, repeated(35, [](auto) { return 33; })));
  return cases;
}

// Expects the right product. y starts as NaN, so that a missing row is detected, and must not be written past its end;
// values past the end of x are NaN, too.
template <class Format>
void expect_product(Format& format, const Crs& matrix, const std::string& what) {
  constexpr double guard = 123.0;
  const auto rows = static_cast<std::size_t>(matrix.rows);
  const auto columns = static_cast<std::size_t>(matrix.columns);
  std::vector<double> x(columns + chunk);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i < columns ? uniform(3, i) : std::nan("");
  Array<double> y(rows + chunk);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = i < rows ? std::nan("") : guard;
  for (int call = 0; call < 2; ++call) format.run(x.data(), y.data());
  EXPECT_LE(error(matrix, x, {y.data(), rows}), tolerance) << what;
  for (std::size_t i = rows; i < y.size(); ++i) EXPECT_EQ(y[i], guard) << what;
}

template <class Try>
void for_all(const std::vector<Case>& cases, const Try& attempt) {
  for (const int shares : {1, 2, 3, 8}) {
    omp_set_num_threads(shares);
    for (const Kernels* kernels : available_kernels()) {
      for (const auto& [name, matrix] : cases) {
        attempt(matrix, *kernels, shares, name + ", " + kernels->name + ", threads: " + std::to_string(shares));
      }
    }
  }
}

TEST(Formats, CrsMultiplies) {
  for_all(awkward(), [](const Crs& matrix, const Kernels& kernels, int shares, const std::string& what) {
    CrsFormat format(matrix, Cut::rows, kernels, shares);
    EXPECT_EQ(format.stored(), matrix.nonzeros());
    expect_product(format, matrix, what);
  });
}

TEST(Formats, MergePathMultiplies) {
  for_all(awkward(), [](const Crs& matrix, const Kernels& kernels, int shares, const std::string& what) {
    CrsFormat format(matrix, Cut::anywhere, kernels, shares);
    expect_product(format, matrix, what);
  });
}

TEST(Formats, SellMultiplies) {
  for_all(awkward(), [](const Crs& matrix, const Kernels& kernels, int shares, const std::string& what) {
    for (const std::int64_t sigma : {std::int64_t{1}, std::int64_t{8}, std::int64_t{256}, most_sigma}) {
      SellFormat format(matrix, sigma, kernels, shares);
      EXPECT_EQ(format.stored(), count_stored(matrix, sigma)) << what;
      expect_product(format, matrix, what + ", sigma " + std::to_string(sigma));
    }
  });
}

TEST(Formats, BcsrMultiplies) {
  for_all(awkward(), [](const Crs& matrix, const Kernels& kernels, int shares, const std::string& what) {
    for (std::size_t shape = 0; shape < std::size(shapes); ++shape) {
      if (matrix.columns < shapes[shape].columns) continue;
      BcsrFormat format(matrix, shape, kernels, shares);
      expect_product(format, matrix, what + ", shape " + std::to_string(shape));
    }
  });
}

TEST(Formats, FewerThreadsThanSharesMultiply) {
  const Crs matrix = made(3000, repeated(515, [](auto row) { return row == 300 ? 3000 : row % 5; }));
  omp_set_num_threads(2);
  CrsFormat crs(matrix, Cut::anywhere, fastest_kernels(), 7);
  SellFormat sell(matrix, 256, fastest_kernels(), 7);
  expect_product(crs, matrix, "crs");
  expect_product(sell, matrix, "sell");
}

// Large enough that y is written with non-temporal stores, window by window; the last window and its last chunk are not
// full. Columns are in 16 bits where each chunk's are near each other, which those of 2^16 columns are; chunks of empty
// rows, too.
TEST(Formats, SellMultipliesWindowByWindow) {
  const auto length = [](std::int64_t row) { return row / 8 % 9 == 0 ? 0 : 9 + row % 4; };
  for (const auto& [columns, sigma] : {std::pair{65'536, 1}, {65'536, 512}, {300'000, 512}}) {
    const Crs matrix = made(columns, repeated(340'003, length));
    const double bytes = columns == 65'536 ? 10.0 : 12.0;
    EXPECT_EQ(least_bytes(matrix), bytes * static_cast<double>(matrix.nonzeros()));
    for (const int shares : {1, 3}) {
      omp_set_num_threads(shares);
      for (const Kernels* kernels : available_kernels()) {
        SellFormat format(matrix, sigma, *kernels, shares);
        EXPECT_EQ(format.near(), columns == 65'536);
        expect_product(format, matrix, std::string(kernels->name) + ", sigma " + std::to_string(sigma));
      }
    }
  }
}

TEST(Bcsr, BlocksBeginWhereEntriesDo) {
  // Two rows with entries in columns 1 and 2 form one block of 2 x 2, although it is not aligned.
  Crs matrix{.rows = 2, .columns = 4, .start = {0, 2, 4}, .column = {1, 2, 1, 2}, .value = {1, 2, 3, 4}};
  EXPECT_EQ(count_blocks(matrix, {2, 2}, 0, 1), 1);
  // The last column's block begins in the one before it.
  matrix.column = {0, 3, 0, 3};
  EXPECT_EQ(count_blocks(matrix, {2, 2}, 0, 1), 2);
  BcsrFormat format(matrix, 0, plain_kernels, 1);
  EXPECT_EQ(format.stored(), 8);
  expect_product(format, matrix, "last column");
}

TEST(Sell, KeepsLongRowsApart) {
  const Crs matrix = made(3000, repeated(800, [](auto row) { return row == 300 ? 3000 : 2; }));
  EXPECT_EQ(count_stored(matrix, 1), matrix.nonzeros() + 2);  // in the chunks the long row counts as empty
}

TEST(Sell, SortsWithinWindows) {
  // Lengths alternate between 1 and 9, so unsorted chunks all have length 9.
  const Crs matrix = made(100, repeated(512, [](auto row) { return row % 2 == 0 ? 1 : 9; }));
  EXPECT_EQ(count_stored(matrix, 1), 512 * 9);
  EXPECT_EQ(count_stored(matrix, 16), matrix.nonzeros());
}

}  // namespace
}  // namespace banzuke::spmv
