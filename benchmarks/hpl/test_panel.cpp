#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/testing.hpp"
#include "kernel_choice.hpp"
#include "panel.hpp"
#include "swap.hpp"
#include "testing.hpp"

namespace banzuke::hpl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::mt19937_64& generator() {
  static std::mt19937_64 one(2024);
  return one;
}

std::int64_t pick(std::int64_t first, std::int64_t last) {
  return first + static_cast<std::int64_t>(generator()() % static_cast<std::uint64_t>(last - first + 1));
}

// ------------------------------------------------------------------------------------------------- the distribution

TEST(Cyclic, DealsOutBlocksInTurn) {
  for (const std::int64_t block : {1, 2, 3, 7, 64}) {
    for (int ranks = 1; ranks <= 6; ++ranks) {
      std::vector<std::int64_t> next(static_cast<std::size_t>(ranks));  // local index that a rank gets next
      for (std::int64_t global = 0; global < 200; ++global) {
        const int owner = static_cast<int>(global / block) % ranks;
        for (int rank = 0; rank < ranks; ++rank) {
          const Cyclic one{block, ranks, rank};
          ASSERT_EQ(one.owner(global), owner);
          ASSERT_EQ(one.mine(global), rank == owner);
          ASSERT_EQ(one.before(global), next[static_cast<std::size_t>(rank)]) << block << ' ' << ranks << ' ' << global;
        }
        auto& local = next[static_cast<std::size_t>(owner)];
        ASSERT_EQ((Cyclic{block, ranks, owner}.global(local)), global);
        ++local;
      }
    }
  }
}

// Against a table of all blocks.
TEST(Cyclic, MapsWhatIsDealtByShares) {
  for (const std::vector<double>& shares :
       {std::vector<double>{1, 3}, {2.7, 1}, {1, 1, 1}, {0.1, 5, 1, 1}, {1e-9, 1}}) {
    const auto ranks = static_cast<int>(shares.size());
    const Turns turns = deal_by_shares(shares);
    for (const std::int64_t block : {1, 3}) {
      const std::int64_t count = 3 * 64 * ranks * block + 2;  // periods and a part
      std::vector<std::int64_t> next(shares.size());
      std::vector<Cyclic> all;
      all.reserve(shares.size());
      for (int rank = 0; rank < ranks; ++rank) all.emplace_back(block, turns, rank);
      for (std::int64_t global = 0; global < count; ++global) {
        const int owner = turns.owner[index(global / block) % turns.owner.size()];
        for (const Cyclic& one : all) {
          ASSERT_EQ(one.owner(global), owner);
          ASSERT_EQ(one.before(global), next[index(one.rank)]);
        }
        ASSERT_EQ(all[index(owner)].global(next[index(owner)]), global);
        ++next[index(owner)];
      }
      EXPECT_EQ(most_indices(block, turns, count), std::ranges::max(next));
      EXPECT_EQ(most_indices(block, turns, 1), 1);
    }
  }
}

TEST(Turns, FollowTheSharesFromAnyStepOn) {
  for (const std::vector<double>& shares : {std::vector<double>{1, 3}, {2.7, 1}, {0.3, 5, 1, 1}, {1, 1.1, 1.2}}) {
    const Turns turns = deal_by_shares(shares);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    std::vector<double> own(shares.size());
    double dealt = 0.0;
    for (const int owner : turns.owner) {
      ++own[index(owner)];
      ++dealt;
      for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        ASSERT_NEAR(own[rank], dealt * shares[rank] / sum, 1.5) << rank << " after " << dealt;
      }
    }
  }
  EXPECT_EQ(deal_by_shares(std::vector<double>{2, 2, 2}).owner, (std::vector<int>{0, 1, 2}));
}

// ------------------------------------------------------------------------------------------------------- the kernels

// Small whole numbers: sums and products are exact in any order, fused or not, and many magnitudes are equal.
std::vector<double> small(std::int64_t count) {
  std::vector<double> values(index(count));
  for (double& value : values) value = static_cast<double>(pick(-3, 3));
  return values;
}

Candidate plain_advance(std::vector<double>& a, std::int64_t ld, std::int64_t begin, std::int64_t end, int l,
                        const std::vector<double>& u, double inverse) {
  Candidate best;
  for (std::int64_t row = begin; row < end; ++row) {
    double& x = a[index(l * ld + row)];
    if (l > 0) a[index((l - 1) * ld + row)] *= inverse;
    for (int i = 0; i < l; ++i) x -= a[index(i * ld + row)] * u[index(i)];
    if (std::abs(x) > best.magnitude) best = {std::abs(x), row};
  }
  return best;
}

std::vector<std::string> texts(const std::vector<double>& values) {  // in which NaN equals NaN
  std::vector<std::string> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(std::to_string(value));
  return out;
}

void expect_advance(const Kernels& one, std::vector<double> a, std::int64_t ld, std::int64_t begin, std::int64_t end,
                    int l, const std::vector<double>& u, double inverse) {
  auto expected = a;
  const Candidate best = plain_advance(expected, ld, begin, end, l, u, inverse);
  const Candidate got = one.advance(a.data(), ld, begin, end, l, u.data(), inverse);
  ASSERT_EQ(texts(a), texts(expected)) << one.name << ' ' << begin << ".." << end << ' ' << l;
  ASSERT_EQ(got.magnitude, best.magnitude) << one.name << ' ' << begin << ".." << end << ' ' << l;
  if (best.magnitude < 0.0) return;
  ASSERT_EQ(got.row, best.row) << one.name << ' ' << begin << ".." << end << ' ' << l;
}

TEST(Kernels, AdvanceAColumnAndFindTheFirstOfTheLargest) {
  for (const Kernels* set : available_kernels()) {
    const Kernels& one = *set;
    for (const std::int64_t rows : {1, 2, 3, 7, 8, 9, 31, 32, 33, 70, 131}) {
      for (const int l : {0, 1, 2, 3, 7}) {
        for (int time = 0; time < 20; ++time) {
          const std::int64_t begin = pick(0, rows);
          const std::int64_t end = pick(begin, rows);
          expect_advance(one, small(rows * (l + 1)), rows, begin, end, l, small(l), time % 2 == 0 ? 0.5 : -2.0);
        }
      }
    }
  }
}

TEST(Kernels, PassOverNaNInTheSearch) {
  for (const Kernels* set : available_kernels()) {
    const Kernels& one = *set;
    for (const std::int64_t rows : {1, 5, 33, 70}) {
      for (const double filling : {0.0, 2.0, -infinity, nan}) {
        for (std::int64_t bad = 0; bad < rows; ++bad) {
          std::vector<double> a(index(rows), filling);
          a[index(bad)] = nan;
          expect_advance(one, a, rows, 0, rows, 0, {}, 1.0);
        }
      }
    }
    EXPECT_LT(one.advance(nullptr, 1, 0, 0, 0, nullptr, 1.0).magnitude, 0.0) << "no rows, no candidate";
  }
}

TEST(Kernels, SubtractAProduct) {
  for (const Kernels* set : available_kernels()) {
    const Kernels& one = *set;
    for (const std::int64_t rows : {1, 7, 8, 23, 24, 25, 59}) {
      for (const int n : {0, 1, 3, 4, 5, 8, 9, 17}) {
        for (const int k : {0, 1, 2, 9}) {
          const std::int64_t begin = pick(0, rows);
          const std::int64_t end = pick(begin, rows);
          const std::int64_t ldu = n + pick(0, 3);
          auto c = small(rows * n);
          const auto a = small(rows * k);
          const auto u = small(ldu * k);
          auto expected = c;
          for (std::int64_t row = begin; row < end; ++row) {
            for (int j = 0; j < n; ++j) {
              for (int l = 0; l < k; ++l) {
                expected[index(j * rows + row)] -= a[index(l * rows + row)] * u[index(l * ldu + j)];
              }
            }
          }
          one.subtract_product(c.data(), a.data(), rows, begin, end, n, k, u.data(), ldu);
          ASSERT_EQ(c, expected) << one.name << ' ' << rows << ' ' << n << ' ' << k << ' ' << begin << ".." << end;
        }
      }
    }
  }
}

TEST(Kernels, SolveWithAUnitLowerTriangle) {
  for (const Kernels* set : available_kernels()) {
    const Kernels& one = *set;
    for (const int k : {1, 2, 3, 8, 17}) {
      for (const int n : {0, 1, 2, 7, 8, 15, 33, 70}) {
        // As in a panel: the triangle to the left of the right-hand sides; what is not below its diagonal is not read.
        const std::int64_t ld = k + n;
        auto both = small(ld * k);
        for (int i = 0; i < k; ++i) std::fill_n(both.begin() + i * ld + i, k - i, nan);
        auto expected = both;
        for (int i = 0; i < k; ++i) {
          for (int m = 0; m < i; ++m) {
            for (int j = k; j < k + n; ++j) {
              expected[index(i * ld + j)] -= expected[index(i * ld + m)] * expected[index(m * ld + j)];
            }
          }
        }
        one.solve(both.data() + k, both.data(), ld, k, n);
        ASSERT_EQ(texts(both), texts(expected)) << one.name << ' ' << k << ' ' << n;
      }
    }
  }
}

// --------------------------------------------------------------------------------------------------------- the rows

// Columns [first, first + width) of a matrix of order n, with random pivots: `near` ones within the diagonal block.
void shape(Panel& panel, std::int64_t n, std::int64_t first, std::int64_t width, int near) {
  panel.shape(first, width, n - first);
  for (std::int64_t i = 0; i < width; ++i) {
    const std::int64_t row = first + i;
    panel.set_pivot(i, pick(row, pick(0, 3) < near ? first + width - 1 : n - 1));
  }
}

TEST(Rows, MoveAsIfTheyHadChangedPlacesOneAfterAnother) {
  for (int time = 0; time < 2000; ++time) {
    const std::int64_t n = pick(1, 40);
    const std::int64_t first = pick(0, n - 1);
    const std::int64_t width = pick(1, n - first);
    Panel panel(n, width);
    shape(panel, n, first, width, static_cast<int>(pick(0, 4)));
    std::vector<std::int64_t> expected(index(n));
    std::iota(expected.begin(), expected.end(), 0);
    for (std::int64_t i = 0; i < width; ++i) std::swap(expected[index(first + i)], expected[index(panel.pivot(i))]);

    const RowMoves moves(panel);
    std::vector<std::int64_t> got(index(n));
    std::iota(got.begin(), got.end(), 0);
    ASSERT_EQ(std::ssize(moves.sources), width);
    std::ranges::copy(moves.sources, got.begin() + first);
    for (const auto& [row, to] : moves.displaced) {
      EXPECT_TRUE(row >= first && row < first + width) << row;
      EXPECT_GE(to, first + width);
      got[index(to)] = row;
    }
    ASSERT_EQ(got, expected) << n << ' ' << first << ' ' << width;
    ASSERT_LE(std::ssize(moves.displaced), width);  // the exchange's buffer has no more places
  }
}

TEST(Rows, ChangePlacesInTheColumnsThatAreAskedFor) {
  const Grid grid(alone(), 1, 1, true);
  for (int time = 0; time < 100; ++time) {
    const std::int64_t n = pick(1, 30);
    const std::int64_t first = pick(0, n - 1);
    const std::int64_t width = pick(1, n - first);
    const std::int64_t begin = pick(0, n + 1);
    const std::int64_t end = pick(begin, n + 1);
    Matrix matrix(grid, n, width, {});
    matrix.generate();
    Panel panel(n, width);
    shape(panel, n, first, width, 1);
    const RowMoves moves(panel);
    std::vector<std::int64_t> rows(index(n));
    std::iota(rows.begin(), rows.end(), 0);
    std::ranges::copy(moves.sources, rows.begin() + first);
    for (const auto& [row, to] : moves.displaced) rows[index(to)] = row;

    interchange(matrix, panel, begin, end);
    for (std::int64_t row = 0; row < n; ++row) {
      for (std::int64_t column = 0; column <= n; ++column) {
        const bool moved = column >= begin && column < end;
        ASSERT_EQ(*matrix.at(row, column), element(n, moved ? rows[index(row)] : row, column)) << row << ' ' << column;
      }
    }
  }
}

// -------------------------------------------------------------------------------------------------------- the panel

TEST(Panel, KeepsItsPartsApart) {
  Panel panel(13, 5);
  for (const std::int64_t width : {5, 3, 1}) {
    panel.shape(2, width, 13);
    EXPECT_GE(panel.ld(), panel.rows());
    std::ranges::fill(panel.message(), 0.0);
    std::fill_n(panel.body(), panel.ld() * width, 2.0);
    std::fill_n(panel.l1(), width * width, 1.0);
    for (std::int64_t i = 0; i < width; ++i) panel.set_pivot(i, 7 + i);
    for (std::int64_t i = 0; i < width; ++i) EXPECT_EQ(panel.pivot(i), 7 + i);
    EXPECT_EQ(std::count(panel.l1(), panel.l1() + width * width, 1.0), width * width);
    EXPECT_EQ(std::ranges::count(panel.message(), 2.0), panel.ld() * width);
    EXPECT_EQ(panel.message().data() + panel.message().size(), panel.body() + panel.ld() * width);
  }
}

// A panel of one rank in which column 1 is `filling` from its diagonal down, whatever column 0 does to it.
void expect_no_pivot(double filling, bool (*no_pivot)(double)) {
  constexpr std::int64_t rows = 40;
  constexpr std::int64_t width = 3;
  const Grid grid(alone(), 1, 1, true);
  for (const int nbmin : {1, 2, 4}) {
    Panel panel(rows, width);
    panel.shape(0, width, rows);
    for (std::int64_t column = 0; column < width; ++column) {
      for (std::int64_t row = 0; row < rows; ++row) {
        panel.body()[column * panel.ld() + row] = column == 1 ? filling : element(rows, row, column);
      }
    }
    PanelFactorization(grid, {width, 1, 0}, nbmin, width).run(panel);
    EXPECT_EQ(panel.pivot(1), 1) << nbmin;
    EXPECT_TRUE(no_pivot(panel.l1()[width + 1])) << nbmin;
    for (std::int64_t row = width; row < rows; ++row) {
      EXPECT_TRUE(no_pivot(panel.body()[panel.ld() + row])) << nbmin << ' ' << row;
    }
    EXPECT_EQ(std::isnan(panel.l1()[2 * width + 2]), std::isnan(filling)) << nbmin;
  }
}

TEST(Panel, GoesOnAfterAColumnOfZeros) {
  expect_no_pivot(0.0, [](double value) { return value == 0.0; });
}

TEST(Panel, GoesOnAfterAColumnOfNaN) {
  expect_no_pivot(nan, [](double value) { return std::isnan(value); });
}

}  // namespace
}  // namespace banzuke::hpl
