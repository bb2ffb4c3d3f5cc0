// The device's formats and kernels, on matrices that cut tiles, chunks and blocks of threads awkwardly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "core/random.hpp"
#include "gpu_library.hpp"
#include "gpu_matrix.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {
namespace {

// Rows of these lengths, with columns spread over so many.
Crs with_rows(const std::vector<std::int64_t>& lengths, std::int64_t columns) {
  Crs matrix{
      .rows = static_cast<std::int64_t>(lengths.size()), .columns = columns, .start = {0}, .column = {}, .value = {}};
  for (const auto length : lengths) {
    for (std::int64_t k = 0; k < length; ++k) {
      const auto place = static_cast<std::uint64_t>(matrix.column.size());
      matrix.column.push_back(static_cast<std::int32_t>(mix(place + 1) % static_cast<std::uint64_t>(columns)));
      matrix.value.push_back(uniform(1, place));
    }
    matrix.start.push_back(static_cast<std::int64_t>(matrix.column.size()));
  }
  return matrix;
}

double error_of(const Crs& matrix, const std::string& format) {
  std::vector<double> x(static_cast<std::size_t>(matrix.columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = uniform(0, i);
  std::vector<double> y(static_cast<std::size_t>(matrix.rows));
  Spmv spmv(matrix, format);
  spmv.load(x);
  spmv.run(2);  // the second one must not add to the first
  spmv.store(y);
  return error(matrix, x, y);
}

struct Awkward {
  const char* name;
  std::vector<std::int64_t> lengths;
};

std::vector<Awkward> awkward() {
  std::vector<Awkward> found{
      {"nothing", {}},
      {"one empty row", {0}},
      {"one entry", {1}},
      {"empty rows", std::vector<std::int64_t>(3000, 0)},
      {"a row of a tile less its end", {merge_tile - 1}},
      {"a row of a tile", {merge_tile}},
      {"a row longer than a tile", {merge_tile + 1}},
      {"a row of many tiles", {5 * merge_tile + 77}},
      {"rows that end with tiles", std::vector<std::int64_t>(20, merge_tile - 1)},
      {"rows that begin before tiles end", std::vector<std::int64_t>(20, merge_tile + 3)},
      {"short rows", std::vector<std::int64_t>(5000, 3)},
      {"rows of steps", std::vector<std::int64_t>(2000, 7)},
  };
  std::vector<std::int64_t> dense_among_empty(2500, 0);
  dense_among_empty[1200] = 4 * merge_tile;
  found.push_back({"a dense row among empty ones", dense_among_empty});
  std::vector<std::int64_t> last_is_long(1500, 1);
  last_is_long.back() = 3000;
  found.push_back({"a long row at the end", last_is_long});
  std::vector<std::int64_t> mixed;
  mixed.reserve(4000);
  for (std::uint64_t i = 0; i < 4000; ++i) mixed.push_back(static_cast<std::int64_t>(mix(i) % (i % 97 == 0 ? 900 : 6)));
  found.push_back({"rows of all lengths", mixed});
  return found;
}

TEST(OnDevices, MergePathMultipliesAwkwardRows) {
  for (const auto& [name, lengths] : awkward()) {
    EXPECT_LE(error_of(with_rows(lengths, 700), "merge"), tolerance) << name;
  }
}

TEST(OnDevices, SellMultipliesWhatItDoesNotRefuse) {
  int multiplied = 0;
  for (const auto& [name, lengths] : awkward()) {
    try {
      EXPECT_LE(error_of(with_rows(lengths, 700), "sell"), tolerance) << name;
      ++multiplied;
    } catch (const UsageError&) {
      EXPECT_GT(gpu_sell_fill(with_rows(lengths, 700), 16384), most_fill) << name;
    }
  }
  EXPECT_GE(multiplied, 5);
}

// Why there is none on this device; empty: there is one.
std::string no_library() {
  try {
    const gpu::Stream stream;
    const gpu::Sparse library(stream);
    return "";
  } catch (const gpu::Error& error) {
    return error.what();
  }
}

// The emulated device has loops in place of the library, which read what is handed to it.
TEST(OnDevices, TheLibraryMultiplies) {
  if (const auto why = no_library(); !why.empty()) GTEST_SKIP() << why;
  for (const auto& [name, lengths] : awkward()) {
    EXPECT_LE(error_of(with_rows(lengths, 700), "library"), tolerance) << name;
  }
  EXPECT_LE(error_of({.rows = 3, .columns = 0, .start = {0, 0, 0, 0}, .column = {}, .value = {}}, "library"),
            tolerance);
}

TEST(OnDevices, TheLibraryIsCalledByAParameterOfItsOwn) {
  EXPECT_EQ(form({.format = "sell"}), "sell");
  EXPECT_EQ(form({.product = "library"}), "library");
  EXPECT_EQ(std::ranges::count(formats(), "library"), 0);
  EXPECT_GT(problem({.product = "library"}, 1).device_footprint, problem({}, 1).device_footprint);
  EXPECT_THROW(problem({.format = "sell", .product = "library"}, 1), UsageError);
}

TEST(OnDevices, TheLibraryIsHandedSellWithItsPaddingMarked) {
  std::vector<std::int64_t> lengths(65, 4);
  lengths[3] = 6;
  lengths[64] = 0;
  const Crs matrix = with_rows(lengths, 100);
  const GpuSell made = library_sell(matrix);
  EXPECT_EQ(made.start, (std::vector<std::int64_t>{0, 6 * 32, 10 * 32, 10 * 32}));
  EXPECT_EQ(std::ranges::count(made.column, -1), 31 * 2);
  for (int row = 0; row < 32; ++row) EXPECT_EQ(made.column[static_cast<std::size_t>(5 * 32 + row)] < 0, row != 3);
}

TEST(OnDevices, TheLibrarySaysWhatWasFastest) {
  if (const auto why = no_library(); !why.empty()) GTEST_SKIP() << why;
  const Spmv spmv(with_rows(std::vector<std::int64_t>(64, 4), 9), "library");
  EXPECT_TRUE(spmv.format().starts_with("csr, method ") || spmv.format() == "sell 32-1") << spmv.format();
  EXPECT_EQ(spmv.fill(), 1.0);
  // The emulated device loads none.
  for (const auto& [name, path] : spmv.software()) EXPECT_EQ(name, "library_path") << path.dump();
  EXPECT_TRUE(Spmv(with_rows({4}, 9), "merge").software().empty());
}

TEST(OnDevices, WindowsBringRowsOfLikeLengthTogether) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(512);
  for (int i = 0; i < 512; ++i) lengths.push_back(i % 16 == 0 ? 30 : 2);
  const Crs matrix = with_rows(lengths, 100);
  EXPECT_GT(gpu_sell_fill(matrix, 1), 5.0);
  EXPECT_LT(gpu_sell_fill(matrix, 512), 1.3);
  const GpuSell made = gpu_sell(matrix, 512);
  EXPECT_EQ(std::ranges::count(made.row, -1), 0);
  EXPECT_EQ(made.start.back(), static_cast<std::int64_t>(made.value.size()));
  EXPECT_GT(gpu_choose(matrix, "auto").sigma, 1);
  lengths[7] = 20'000;  // its chunk alone would store the matrix many times over
  EXPECT_EQ(gpu_choose(with_rows(lengths, 100), "auto").format, "merge");
}

TEST(OnDevices, TilesCoverThePath) {
  const Crs matrix = with_rows({0, 5000, 0, 0, 17}, 50);
  const auto rows = merge_tiles(matrix);
  ASSERT_EQ(rows.size(), 7U);  // 5,022 steps
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows[1], 1);
  EXPECT_EQ(rows.back(), 5);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
}

TEST(OnDevices, SayHowTheyMultiply) {
  const Spmv sell(with_rows(std::vector<std::int64_t>(64, 4), 9), "auto");
  EXPECT_EQ(sell.format(), "sell 32-1");
  EXPECT_EQ(sell.fill(), 1.0);
  EXPECT_FALSE(sell.method().empty());
}

}  // namespace
}  // namespace banzuke::spmv
