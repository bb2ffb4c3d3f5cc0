// The device's formats and kernels, on matrices that do not fill tiles, chunks and thread blocks evenly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "core/random.hpp"
#include "gpu_formats.hpp"
#include "gpu_library.hpp"
#include "gpu_matrix.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {
namespace {

// Makes rows of these lengths, with entries spread over `columns` columns.
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

std::vector<double> vector_for(const Crs& matrix) {
  std::vector<double> x(static_cast<std::size_t>(matrix.columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = uniform(0, i);
  return x;
}

double error_of(const Crs& matrix, const std::string& format) {
  const auto x = vector_for(matrix);
  std::vector<double> y(static_cast<std::size_t>(matrix.rows));
  Spmv spmv(matrix, format);
  spmv.load(x);
  spmv.run(2);  // the second one must not add to the first
  spmv.store(y);
  return error(matrix, x, y);
}

// Entries of a part of a row if the matrix has few entries.
constexpr std::int64_t part = 256;

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
      {"a row of a tile less its end", {part - 1}},
      {"a row of a tile", {part}},
      {"a row longer than a tile", {part + 1}},
      {"a row of many tiles", {5 * part + 77}},
      {"rows that end with tiles", std::vector<std::int64_t>(20, part - 1)},
      {"rows that begin before tiles end", std::vector<std::int64_t>(20, part + 3)},
      {"short rows", std::vector<std::int64_t>(5000, 3)},
      {"rows of steps", std::vector<std::int64_t>(2000, 7)},
  };
  std::vector<std::int64_t> dense_among_empty(2500, 0);
  dense_among_empty[1200] = 4 * part;
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

// Checks all ways to launch the product, each twice: the second product must not add to the first.
void expect_right(const Crs& matrix, const std::string& format, const std::string& what) {
  const gpu::Stream stream;
  const auto x = vector_for(matrix);
  gpu::DeviceBuffer<double> on_device(x.size());
  gpu::DeviceBuffer<double> result(static_cast<std::size_t>(matrix.rows));
  gpu::upload(on_device, std::span<const double>(x), stream);
  for (const auto& one : own_formats(matrix, format, stream)) {
    for (const GpuWay& way : one->ways()) {
      gpu::set_bytes(result.data(), 0xFF, result.size(), stream);  // NaN
      std::vector<double> first(result.size());
      std::vector<double> second(result.size());
      one->queue(way, on_device.data(), result.data(), stream);
      gpu::download(std::span(first), result, stream);
      one->queue(way, on_device.data(), result.data(), stream);
      gpu::download(std::span(second), result, stream);
      EXPECT_LE(error(matrix, x, first), tolerance) << what << ", " << one->name(way);
      EXPECT_EQ(first, second) << what << ", " << one->name(way);
    }
  }
}

TEST(OnDevices, CsrMultipliesAwkwardRowsInAllWays) {
  for (const auto& [name, lengths] : awkward()) expect_right(with_rows(lengths, 700), "csr", name);
}

TEST(OnDevices, SellMultipliesWhatItDoesNotRefuseInAllWays) {
  int multiplied = 0;
  for (const auto& [name, lengths] : awkward()) {
    const Crs matrix = with_rows(lengths, 700);
    if (sell_layout(matrix).fill > most_fill) {
      EXPECT_THROW(Spmv(matrix, "sell"), UsageError) << name;
      continue;
    }
    expect_right(matrix, "sell", name);
    ++multiplied;
  }
  EXPECT_GE(multiplied, 10);
}

TEST(OnDevices, TheFormatThatIsChosenMultipliesAwkwardRows) {
  for (const auto& [name, lengths] : awkward()) {
    EXPECT_LE(error_of(with_rows(lengths, 700), "auto"), tolerance) << name;
  }
}

// Returns why this device has no library; empty if it has one.
std::string no_library() {
  try {
    const gpu::Stream stream;
    const gpu::Sparse library(stream);
    return "";
  } catch (const gpu::Error& error) {
    return error.what();
  }
}

// The emulated device has loops in place of the library, which read the arrays that the library would get.
TEST(OnDevices, TheLibraryMultiplies) {
  if (const auto why = no_library(); !why.empty()) GTEST_SKIP() << why;
  for (const auto& [name, lengths] : awkward()) {
    const Crs matrix = with_rows(lengths, 700);
    if (matrix.nonzeros() > matrix.rows * matrix.columns) {
      EXPECT_THROW(error_of(matrix, "library"), UsageError) << name;  // refused by us, before the library does
    } else {
      EXPECT_LE(error_of(matrix, "library"), tolerance) << name;
    }
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
  // The emulated device loads no library.
  for (const auto& [name, path] : spmv.software()) EXPECT_EQ(name, "library_path") << path.dump();
  EXPECT_TRUE(Spmv(with_rows({4}, 9), "csr").software().empty());
}

TEST(OnDevices, WindowsBringRowsOfLikeLengthTogether) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(512);
  for (int i = 0; i < 512; ++i) lengths.push_back(i % 16 == 0 ? 30 : 2);
  const Crs matrix = with_rows(lengths, 100);
  EXPECT_GT(sell_layout(matrix, 1).fill, 5.0);
  EXPECT_LT(sell_layout(matrix, 512).fill, 1.3);
  EXPECT_GT(sell_layout(matrix).sigma, 1);
  const GpuSell made = gpu_sell(matrix, sell_layout(matrix, 512));
  EXPECT_EQ(std::ranges::count(made.row, no_row), 0);
  EXPECT_EQ(made.start.back(), static_cast<std::int64_t>(made.value.size()));
}

TEST(OnDevices, LongRowsAreApartFromTheChunks) {
  std::vector<std::int64_t> lengths(512, 2);
  lengths[7] = 20'000;  // its chunk alone would take many times the memory of the matrix
  const Crs matrix = with_rows(lengths, 30'000);
  EXPECT_GT(sell_layout(matrix, 1).fill, 10.0);
  const SellLayout layout = sell_layout(matrix);
  EXPECT_LT(layout.fill, 1.01);
  const GpuSell made = gpu_sell(matrix, layout);
  EXPECT_EQ(std::ranges::count(made.row, no_row), 1);
  EXPECT_EQ(made.apart.nonzeros(), 20'000);
  ASSERT_EQ(made.parts.cut.size(), 1U);
  EXPECT_EQ(made.parts.cut[0].row, 7);
  EXPECT_EQ(made.parts.cut[0].parts, std::ssize(made.parts.row));
}

TEST(OnDevices, PartsCoverTheEntriesOfTheirRows) {
  const Crs matrix = with_rows({0, 3 * part, 0, part, 17, part + 1}, 2000);
  const RowParts made = part_rows(matrix);
  EXPECT_EQ(made.start, (std::vector<std::int64_t>{0, 0, part, 2 * part, 3 * part, 3 * part, 4 * part, 4 * part + 17,
                                                   5 * part + 17, 5 * part + 18}));
  EXPECT_EQ(made.row, (std::vector<std::int32_t>{0, ~0, ~0, ~0, 2, 3, 4, ~1, ~1}));
  ASSERT_EQ(made.cut.size(), 2U);
  EXPECT_EQ(made.cut[1].row, 5);
  EXPECT_EQ(made.cut[1].first, 7);
  EXPECT_EQ(made.cut[1].parts, 2);
  EXPECT_TRUE(part_rows(with_rows({0, part, 3}, 2000)).row.empty());  // no row is cut
}

TEST(OnDevices, SayHowTheyMultiply) {
  const Crs matrix = with_rows(std::vector<std::int64_t>(64, 4), 9);
  const Spmv sell(matrix, "sell");
  EXPECT_TRUE(sell.format().starts_with("sell 32-1")) << sell.format();
  EXPECT_EQ(sell.fill(), 1.0);
  EXPECT_FALSE(sell.method().empty());
  EXPECT_TRUE(Spmv(matrix, "csr").format().starts_with("csr, "));
}

}  // namespace
}  // namespace banzuke::spmv
