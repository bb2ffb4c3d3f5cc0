#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "core/testing.hpp"
#include "generator.hpp"
#include "matrix.hpp"
#include "testing.hpp"

namespace banzuke::hpl {
namespace {

std::uint64_t one_step(std::uint64_t x) { return 6364136223846793005U * x + 1U; }

TEST(Element, IsOneStepOfTheGeneratorAfterTheOneAbove) {
  for (const std::int64_t n : {1, 2, 7, 20}) {
    std::uint64_t x = 100;
    for (std::int64_t column = 0; column <= n; ++column) {
      for (std::int64_t row = 0; row < n; ++row) {
        x = one_step(x);
        ASSERT_EQ(element(n, row, column), value_of(x)) << n << ' ' << row << ' ' << column;
      }
    }
  }
}

// Printed by netlib's HPL 2.3: HPL_rand() after HPL_xjumpm() had gone to the element as HPL_pdmatgen() does.
TEST(Element, IsTheOfficialCodes) {
  struct Known {
    std::int64_t n, row, column;
    double value;
  };
  for (const auto& [n, row, column, value] : std::vector<Known>{
           {1, 0, 0, -0x1.b0d8f532d8p-15},
           {1, 0, 1, 0x1.8959b2285d2a4p-2},
           {3, 2, 1, 0x1.61ea60d43670fp-2},
           {3, 1, 3, -0x1.588ae86b5ba8cp-3},
           {1000, 17, 503, 0x1.0a0bb4fc52c22p-2},
           {1000, 999, 1000, 0x1.96afed4b8e3eap-3},
           {50000, 49999, 49999, -0x1.67fdced8dc1e8p-2},
           {50000, 12345, 50000, 0x1.1540682e62f6p-7},
           {2000000, 0, 1048576, -0x1.926e059a8996cp-2},
           {2000000, 1999999, 2000000, 0x1.dd36677fb7a06p-2},
       }) {
    EXPECT_EQ(element(n, row, column), value) << n << ' ' << row << ' ' << column;
  }
}

TEST(Element, LiesWithinOneHalf) {
  EXPECT_EQ(value_of(0), 0.5);
  EXPECT_EQ(value_of(std::uint64_t{1} << 63U), 0.0);
  EXPECT_EQ(value_of(std::numeric_limits<std::uint64_t>::max()), -0.5);
}

TEST(Jump, IsAsManySteps) {
  std::uint64_t x = 12345;
  for (std::uint64_t count = 0; count < 100; ++count, x = one_step(x)) ASSERT_EQ(steps(count)(12345), x) << count;
}

TEST(Jump, FollowsAnother) {
  EXPECT_EQ((Jump{3, 1}.then({5, 3})(7)), 5U * (3U * 7U + 1U) + 3U);
  constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t a : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{77}, all / 3}) {
    for (const std::uint64_t b : {std::uint64_t{0}, std::uint64_t{5}, all - 3, all}) {
      EXPECT_EQ(steps(a).then(steps(b))(100), steps(a + b)(100)) << a << ' ' << b;
    }
  }
  EXPECT_EQ(steps(all)(one_step(100)), 100U);  // the generator's period is 2^64
}

// In turn, and dealt unequally to so many ranks.
std::vector<Turns> deals(int ranks) {
  std::vector<double> shares(index(ranks));
  std::iota(shares.begin(), shares.end(), 1.0);
  return {take_turns(ranks), deal_by_shares(shares)};
}

TEST(Elements, OfADealtPartAreMadeOnceEach) {
  for (const std::int64_t n : {1, 5, 20, 37}) {
    for (const std::int64_t nb : {1, 3, 8, 40}) {
      for (const int size : {1, 2, 3}) {
        for (int number = 0; number < 2 * size; ++number) {
          const int rank = number / 2;
          const Cyclic rows{nb, size, rank};
          const Cyclic columns{nb, deals(size + 1)[index(number % 2)], size - rank};
          const std::int64_t local_rows = rows.before(n);
          const std::int64_t local_columns = columns.before(n + 1);
          std::vector<int> made(index(local_rows * local_columns));
          for (std::int64_t row = 0; row < local_rows; row += 8) {
            each_element(n, rows, columns, local_columns, row, std::min<std::int64_t>(8, local_rows - row),
                         [&](std::size_t i, std::int64_t column, double value) {
                           const std::int64_t at = row + static_cast<std::int64_t>(i);
                           ++made.at(index(at * local_columns + column));
                           ASSERT_EQ(value, element(n, rows.global(at), columns.global(column)));
                         });
          }
          for (const int times : made) ASSERT_EQ(times, 1) << n << ' ' << nb << ' ' << size << ' ' << rank;
        }
      }
    }
  }
}

TEST(Matrix, IsTheOfficialProblemHoweverItIsFilled) {
  for (const std::int64_t n : {1, 9, 64, 70}) {
    const Grid grid(alone(), 1, 1, true);
    Matrix matrix(grid, n, 16, {});
    const auto expect_official = [&] {
      for (std::int64_t row = 0; row < n; ++row) {
        for (std::int64_t column = 0; column <= n; ++column) {
          ASSERT_EQ(*matrix.at(row, column), element(n, row, column)) << n << ' ' << row << ' ' << column;
        }
      }
    };
    matrix.generate();
    expect_official();
    matrix.fill([](std::int64_t, std::int64_t) { return 7.0; });
    matrix.fill(official(n));
    expect_official();
  }
}

TEST(Distances, AreOddNumbersOfCacheLines) {
  for (std::int64_t count = 1; count < 100; ++count) {
    EXPECT_GE(distance_of(count), count);
    EXPECT_EQ(distance_of(count) % 16, 8);
  }
}

}  // namespace
}  // namespace banzuke::hpl
