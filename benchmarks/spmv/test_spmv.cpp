#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "choose.hpp"
#include "core/parameters.hpp"
#include "core/random.hpp"
#include "core/thread_rates.hpp"
#include "families.hpp"
#include "mkl_sparse.hpp"
#include "shares.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {
namespace {

Crs empty(std::int64_t rows, std::int64_t columns) {
  return {.rows = rows,
          .columns = columns,
          .start = std::vector<std::int64_t>(static_cast<std::size_t>(rows) + 1),
          .column = {},
          .value = {}};
}

Crs example() {
  return {.rows = 3, .columns = 4, .start = {0, 2, 2, 5}, .column = {0, 2, 0, 1, 2}, .value = {1, 2, 3, 4, 5}};
}

std::vector<double> ones(std::int64_t size) { return std::vector<double>(static_cast<std::size_t>(size), 1.0); }

std::vector<double> numbers(std::int64_t size) {
  std::vector<double> x;
  x.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) x.push_back(uniform(0, static_cast<std::uint64_t>(i)));
  return x;
}

// Returns this backend's product; none if its library is not installed.
std::optional<std::vector<double>> product(const Crs& matrix, const std::vector<double>& x, const std::string& format) {
  std::unique_ptr<Spmv> spmv;
  try {
    spmv = std::make_unique<Spmv>(matrix, format);
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()).find("pip install mkl") != std::string::npos) return std::nullopt;
    throw;
  }
  std::vector<double> y(static_cast<std::size_t>(matrix.rows));
  spmv->load(x);
  spmv->run(2);
  spmv->store(y);
  return y;
}

#if defined(__x86_64__)
constexpr const char* no_library = "MKL is not installed, or BANZUKE_MKL does not name it";
#else
constexpr const char* no_library = "hardware: MKL is for x86-64";
#endif

TEST(Spmv, MultipliesByHand) {
  const auto y = product(example(), {1, 10, 100, 1000}, "auto");
  if (!y) GTEST_SKIP() << no_library;
  EXPECT_EQ(*y, (std::vector<double>{201, 0, 543}));
}

TEST(Spmv, MultipliesEveryFamily) {
  omp_set_num_threads(3);
  for (const std::string& family : family_names()) {
    for (const std::int64_t nonzeros : {0, 500, 30'000}) {
      const Crs matrix = generate(family, nonzeros);
      const auto x = numbers(matrix.columns);
      const auto y = product(matrix, x, "auto");
      if (!y) GTEST_SKIP() << no_library;
      EXPECT_LE(error(matrix, x, *y), tolerance) << family << ' ' << nonzeros;
    }
  }
}

TEST(Spmv, MultipliesInUnequalShares) {
  omp_set_num_threads(3);
  share_by({1.0, 0.05, 0.5});
  for (const std::string family : {"stencil-7", "elasticity", "rmat"}) {
    const Crs matrix = generate(family, 30'000);
    const auto x = numbers(matrix.columns);
    const auto y = product(matrix, x, "auto");
    if (!y) continue;  // no library
    EXPECT_LE(error(matrix, x, *y), tolerance) << family;
  }
  share_by({});
}

TEST(Spmv, MultipliesNothing) {
  for (const Crs& matrix : {empty(0, 0), empty(0, 7), empty(2, 0)}) {
    const auto y = product(matrix, ones(matrix.columns), "auto");
    if (!y) GTEST_SKIP() << no_library;
    EXPECT_EQ(*y, std::vector<double>(static_cast<std::size_t>(matrix.rows), 0.0));
  }
}

TEST(Error, IsInUnitsOfRounding) {
  const auto x = ones(4);
  EXPECT_EQ(error(example(), x, std::vector<double>{3, 0, 12}), 0.0);
  // One unit in the last place of 3 is 2 eps, and the bound for two entries is 2 eps 3.
  EXPECT_DOUBLE_EQ(error(example(), x, std::vector<double>{std::nextafter(3.0, 4.0), 0, 12}), 1.0 / 3.0);
  EXPECT_GT(error(example(), x, std::vector<double>{3 * (1 + 1e-14), 0, 12}), tolerance);
}

TEST(Error, SeesEmptyRowsAndNaN) {
  const auto x = ones(4);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GT(error(example(), x, std::vector<double>{3, 1e-300, 12}), tolerance);
  for (const auto& y : {std::vector<double>{nan, 0, 12}, {3, nan, 12}, {3, 0, nan}, {3, 1, nan}}) {
    EXPECT_FALSE(error(example(), x, y) <= tolerance);
  }
}

TEST(Work, AgreesWithCountingByHand) {
  const Work counted = work(example());
  EXPECT_EQ(counted.counted, 10);
  EXPECT_EQ(demanded(counted, "memory.bytes"), 12 * 5 + 8 * 3 + 8 * 3);  // column 3 is not used
  EXPECT_EQ(demanded(counted, "memory.loads"), 12 * 5 + 8 * 3);
  const Crs block = generate("dense", 144);  // 12 x 12 in blocks of 4 x 4: nine of 8 x 16 + 4 bytes
  ASSERT_EQ(block.nonzeros(), 144);
  EXPECT_DOUBLE_EQ(demanded(work(block), "memory.bytes"), 9 * 132 + 8 * 24);
}

TEST(Work, CountsLinesThatNoCacheOfAThreadKeeps) {
  const Crs matrix = generate("erdos-renyi", 100'000);
  const auto lines = [&](std::int64_t threads, std::int64_t bytes) {
    Work counted = work(matrix);
    add_gathers(counted, matrix, threads, {.l2 = bytes});
    return demanded(counted, "memory.l3.gathers");
  };
  EXPECT_EQ(lines(2, 0), 0);  // unknown caches
  EXPECT_EQ(lines(2, 8 * matrix.columns + 64), 0);
  EXPECT_GT(lines(1, 1024), 0.8 * 100'000 * 3 / 4);  // a window of 64 lines for a cache of 16
  EXPECT_LE(lines(1, 1024), static_cast<double>(matrix.nonzeros()));
  EXPECT_LE(lines(1, 8192), lines(1, 1024));
}

TEST(Work, CountsLinesThatNoSharedCacheKeeps) {
  const Crs matrix = generate("erdos-renyi", 100'000);
  const auto lines = [&](std::int64_t threads, std::int64_t own, std::int64_t last) {
    Work counted = work(matrix);
    add_gathers(counted, matrix, threads, {.l2 = own, .last = last});
    return demanded(counted, "memory.gathers");
  };
  EXPECT_EQ(lines(2, 1024, 0), 0);  // unknown caches
  const std::int64_t x = 8 * matrix.columns;
  EXPECT_EQ(lines(2, 1024, x - 2 * 1024 + 64), 0) << "all caches together hold x";
  EXPECT_GT(lines(2, 0, x / 2), 0.15 * 100'000) << "random columns, half of them in the cache";
  EXPECT_LT(lines(2, 0, x / 2), 0.5 * 100'000);
  EXPECT_LT(lines(2, x / 16, x / 2), lines(2, 0, x / 2));
}

std::string chosen(const std::string& family, std::int64_t nonzeros) {
  const Choice choice = choose(generate(family, nonzeros), "auto", 2);
  return choice.format == "bcsr" ? "bcsr " + std::to_string(shapes[choice.shape].rows) : choice.format;
}

TEST(Choose, GoesByBlocksAndRows) {
  EXPECT_EQ(chosen("elasticity", 100'000), "bcsr 3");
  EXPECT_EQ(chosen("flow", 100'000), "bcsr 4");
  EXPECT_EQ(chosen("stencil-7", 100'000), "sell");
  EXPECT_EQ(chosen("rmat", 100'000), "sell");
  EXPECT_EQ(choose(generate("stencil-7", 300'000), "auto", 2).sigma, 1);
  EXPECT_GT(choose(generate("rmat", 100'000), "auto", 2).sigma, 1);
  Crs wide = empty(3, 30'000);
  wide.start = {0, 10'000, 20'000, 30'000};
  for (std::int32_t i = 0; i < 30'000; ++i) wide.column.push_back(i % 10'000 * 3);
  wide.value = ones(30'000);
  EXPECT_EQ(choose(wide, "auto", 2).format, "merge");
}

TEST(Choose, RefusesWhatWouldBeStoredManyTimesOver) {
  const Crs scattered = generate("erdos-renyi", 10'000);
  EXPECT_THROW(choose(scattered, "bcsr", 2), UsageError);
  EXPECT_NO_THROW(choose(scattered, "crs", 2));
  EXPECT_THROW(choose(empty(1, 1), "bcsr", 2), UsageError);
}

TEST(Shares, AreAboutEqual) {
  std::vector<std::int64_t> start{0};
  for (int row = 0; row < 1000; ++row) start.push_back(start.back() + row % 7);
  for (const int parts : {1, 2, 5, 16}) {
    const auto cuts = cut_rows(start, parts);
    ASSERT_EQ(cuts.size(), static_cast<std::size_t>(parts) + 1);
    EXPECT_EQ(cuts.front(), 0);
    EXPECT_EQ(cuts.back(), 1000);
    for (int part = 0; part < parts; ++part) {
      const std::int64_t first = cuts[static_cast<std::size_t>(part)];
      const std::int64_t last = cuts[static_cast<std::size_t>(part) + 1];
      const std::int64_t share =
          start[static_cast<std::size_t>(last)] - start[static_cast<std::size_t>(first)] + last - first;
      EXPECT_NEAR(static_cast<double>(share), static_cast<double>(start.back() + 1000) / parts, 8.0);
    }
  }
}

TEST(Mkl, SaysWhatToDoWhereItIsMissing) {
  const char* before = std::getenv("BANZUKE_MKL");
  const std::string kept = before == nullptr ? "" : before;
  setenv("BANZUKE_MKL", "/nowhere/libmkl_rt.so", 1);
  try {
    const MklSparse mkl(example());
    ADD_FAILURE() << "it was loaded";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/libmkl_rt.so"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("pip install mkl"), std::string::npos);
  }
  if (before == nullptr) {
    unsetenv("BANZUKE_MKL");
  } else {
    setenv("BANZUKE_MKL", kept.c_str(), 1);
  }
}

}  // namespace
}  // namespace banzuke::spmv
