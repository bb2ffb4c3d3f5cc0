#include <dlfcn.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/testing.hpp"
#include "deal.hpp"
#include "lu.hpp"
#include "matrix.hpp"
#include "reference.hpp"
#include "test_library.hpp"
#include "testing.hpp"

namespace banzuke::hpl {
namespace {

// The tolerated error of x relative to its largest entry; rounding leaves a hundredth of it at the orders here.
constexpr double rounding = 1e-9;

std::string text(const Params& p) {
  return "n " + std::to_string(p.n) + ", nb " + std::to_string(p.nb) + ", nbmin " + std::to_string(p.nbmin) + ", " +
         std::to_string(omp_get_max_threads()) + " threads";
}

// --------------------------------------------------------------------------------------------------------- solutions

TEST_F(Library, SolvesTheOfficialProblem) {
  for (const std::int64_t n : {1, 2, 3, 7, 64, 65, 130, 257}) {
    const Plain plain(n, official(n));
    for (const std::int64_t nb : {1, 2, 8, 32, 64, 300}) {
      for (const auto& [nbmin, threads] : std::vector<std::pair<int, int>>{{1, 1}, {3, 1}, {3, 2}, {8, 3}, {400, 2}}) {
        omp_set_num_threads(threads);
        const Params params{.n = n, .nb = nb, .nbmin = nbmin};
        Lu lu(params, alone(), places());
        lu.generate();
        lu.factorise();
        ASSERT_LE(difference(lu.solve(), plain.x), rounding) << text(params);
        ASSERT_LE(lu.residual(), tolerance) << text(params);
        ASSERT_EQ(lu.pivot_digest(), digest(plain.pivots)) << text(params);
      }
    }
  }
}

TEST_F(Library, SolvesMatricesThatAreHardOnIt) {
  for (const std::int64_t n : {1, 2, 33, 50}) {
    for (const std::int64_t nb : {1, 7, 60}) {
      for (const int threads : {1, 3}) {
        omp_set_num_threads(threads);
        for (const Element& of : {wilkinson(n), permutation(n), exact(n, -1)}) {
          const Params params{.n = n, .nb = nb, .nbmin = 2};
          Lu lu(params, alone(), places());
          lu.fill(of);
          lu.factorise();
          const Plain plain(n, of);
          ASSERT_LE(difference(lu.solve(), plain.x), rounding) << text(params);
          ASSERT_EQ(lu.pivot_digest(), digest(plain.pivots)) << text(params);
        }
      }
    }
  }
}

TEST_F(Library, IsExactWhereTheProblemIs) {
  constexpr std::int64_t n = 50;
  Lu growing({.n = n, .nb = 8}, alone(), places());
  growing.fill(wilkinson(n));
  growing.factorise();
  EXPECT_EQ(growing.solve(), std::vector<double>(n, 1.0));

  Lu permuted({.n = n, .nb = 8}, alone(), places());
  permuted.fill(permutation(n));
  permuted.factorise();
  const auto x = permuted.solve();
  const auto columns = shuffled(n);
  for (std::int64_t row = 0; row < n; ++row) EXPECT_EQ(x[index(columns[index(row)])], static_cast<double>(row + 1));
}

// Powers of two are exact: the same pivots, the same digits, if a probe on a device does not choose two ways.
TEST_F(Library, IsIndifferentToTheScaleOfColumns) {
  constexpr std::int64_t n = 70;
  const Params params{.n = n, .nb = 16, .panel = "host"};
  const auto scale = [](std::int64_t column) { return std::ldexp(1.0, static_cast<int>(column * 37 % 400) - 200); };
  Lu plain(params, alone(), places());
  plain.generate();
  plain.factorise();
  Lu scaled(params, alone(), places());
  scaled.fill([&](std::int64_t row, std::int64_t column) {
    return element(n, row, column) * (column < n ? scale(column) : 1.0);
  });
  scaled.factorise();
  EXPECT_EQ(scaled.pivot_digest(), plain.pivot_digest());
  const auto x = plain.solve();
  const auto y = scaled.solve();
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(y[index(i)] * scale(i), x[index(i)]) << i;
}

TEST_F(Library, TakesItsPivotsFromBadlyScaledRows) {
  constexpr std::int64_t n = 70;
  const Element of = [](std::int64_t row, std::int64_t column) {
    return std::ldexp(element(n, row, column), static_cast<int>(row * 37 % 61) - 30);
  };
  const Plain plain(n, of);
  Lu lu({.n = n, .nb = 16}, alone(), places());
  lu.fill(of);
  lu.factorise();
  EXPECT_LE(difference(lu.solve(), plain.x), rounding);
  EXPECT_EQ(lu.pivot_digest(), digest(plain.pivots));
}

TEST_F(Library, AgreesWithLapack) {
  using Dgesv = void (*)(const int*, const int*, double*, const int*, int*, double*, const int*, int*);
  const char* named = std::getenv("BANZUKE_BLAS");
  void* library = named == nullptr ? nullptr : dlopen(named, RTLD_NOW | RTLD_GLOBAL);
  Dgesv dgesv = nullptr;
  for (const char* name : {"dgesv_", "scipy_dgesv_"}) {
    if (library != nullptr && dgesv == nullptr) dgesv = reinterpret_cast<Dgesv>(dlsym(library, name));
  }
  if (dgesv == nullptr) GTEST_SKIP() << "BANZUKE_BLAS names no library that has LAPACK";
  constexpr int one = 1;
  for (const int n : {1, 30, 200}) {
    Lu lu({.n = n, .nb = 24}, alone(), places());
    lu.generate();
    lu.factorise();
    std::vector<double> a(index(n) * index(n));
    std::vector<double> x(index(n));
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) a[index(column * n + row)] = element(n, row, column);
      x[index(row)] = element(n, row, n);
    }
    std::vector<int> numbers(index(n));
    int info = 0;
    dgesv(&n, &one, a.data(), &n, numbers.data(), x.data(), &n, &info);
    ASSERT_EQ(info, 0);
    std::vector<std::int64_t> pivots;
    pivots.reserve(numbers.size());
    for (const int number : numbers) pivots.push_back(number - 1);  // Fortran's begin at 1
    EXPECT_LE(difference(lu.solve(), x), rounding) << n;
    EXPECT_EQ(lu.pivot_digest(), digest(pivots)) << n;
  }
}

// ------------------------------------------------------------------------------------------------ what has no solution

std::string complaint(const Params& params, const Element& of) {
  Lu lu(params, alone(), {{allowed_cpus().front()}});
  lu.fill(of);
  try {
    lu.factorise();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST_F(Library, NamesTheColumnInWhichAMatrixIsSingular) {
  const auto wanted = [](std::int64_t column) {
    return "the matrix is singular: column " + std::to_string(column) + " has only zeros where its pivot should be";
  };
  for (const std::int64_t nb : {1, 4, 16, 40}) {
    const auto params = [nb](std::int64_t n) { return Params{.n = n, .nb = nb, .nbmin = 3}; };
    for (const std::int64_t column : {0, 1, 7, 16, 31, 32}) {
      EXPECT_EQ(complaint(params(33), exact(33, column)), wanted(column)) << nb;
      EXPECT_EQ(complaint(params(33),
                          [column](std::int64_t i, std::int64_t j) { return j == column ? 0.0 : element(33, i, j); }),
                wanted(column))
          << nb;
    }
    const auto zero = [](std::int64_t, std::int64_t) { return 0.0; };
    EXPECT_EQ(complaint(params(20), zero), wanted(0)) << nb;
    EXPECT_EQ(complaint(params(1), zero), wanted(0)) << nb;
    const auto equal_rows = [](std::int64_t, std::int64_t j) { return static_cast<double>(j + 1); };
    EXPECT_EQ(complaint(params(2), equal_rows), wanted(1)) << nb;
    EXPECT_EQ(complaint(params(20), equal_rows), wanted(1)) << nb;
    EXPECT_EQ(complaint(params(33), exact(33, -1)), "none") << nb;
  }
}

TEST_F(Library, NaNAnywhereDoesNotPass) {
  constexpr std::int64_t n = 9;
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t column = 0; column <= n; ++column) {
      Lu lu({.n = n, .nb = 4, .nbmin = 2}, alone(), places());
      lu.fill([&](std::int64_t i, std::int64_t j) { return i == row && j == column ? nan : element(n, i, j); });
      lu.factorise();
      lu.solve();
      ASSERT_FALSE(lu.residual() <= tolerance) << row << ' ' << column;
    }
  }
}

// --------------------------------------------------------------------------------------------------------- the frame

TEST_F(Library, TellsHowFarItIsAndWhereTheTimeWent) {
  double most = 0.0;  // of five, because this process may have to wait for a processor between two steps
  for (int trial = 0; trial < 5; ++trial) {
    Lu lu({.n = 100, .nb = 16}, alone(), places());
    lu.generate();
    std::vector<double> shares;
    const double start = now();
    lu.factorise([&](double share) { shares.push_back(share); });
    lu.solve();
    const double elapsed = now() - start;
    ASSERT_EQ(shares.size(), 7U);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_GT(shares.front(), 0.0);
    EXPECT_EQ(shares.back(), 1.0);
    ASSERT_EQ(lu.profile().steps().size(), 8U);  // and the solution
    double sum = 0.0;
    for (const auto& step : lu.profile().steps()) {
      for (const double seconds : step) {
        EXPECT_GE(seconds, 0.0);
        sum += seconds;
      }
    }
    EXPECT_LE(sum, elapsed);
    most = std::max(most, sum / elapsed);
  }
  EXPECT_GT(most, 0.9);
}

// --------------------------------------------------------------------------------------------------------- the check

double residual_of(std::int64_t n, const std::vector<double>& x) {
  const Grid grid(alone(), 1, 1, true);
  const Distribution matrix(grid, n, 8, {});
  return residual(alone(), grid, matrix, x, row_sums(matrix, x));
}

TEST(Residual, AcceptsThePlainSolution) {
  for (const std::int64_t n : {1, 2, 3, 8, 9, 64, 200}) {
    EXPECT_LE(residual_of(n, Plain(n, official(n)).x), tolerance) << n;
  }
}

TEST(Residual, IsTheOfficialFormula) {
  constexpr std::int64_t n = 21;
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) x[index(i)] = 1e-3 * static_cast<double>(i - 11);
  double worst = 0.0;
  double norm_a = 0.0;
  double norm_b = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    double product = 0.0;
    double sum = 0.0;
    for (std::int64_t j = 0; j < n; ++j) {
      product += element(n, i, j) * x[index(j)];
      sum += std::abs(element(n, i, j));
    }
    worst = std::max(worst, std::abs(product - element(n, i, n)));
    norm_a = std::max(norm_a, sum);
    norm_b = std::max(norm_b, std::abs(element(n, i, n)));
  }
  const double expected = worst / (0x1p-53 * (norm_a * 11e-3 + norm_b) * n);
  EXPECT_NEAR(residual_of(n, x) / expected, 1.0, 1e-12);
}

TEST(Residual, SeesOneSpoiltEntry) {
  constexpr std::int64_t n = 100;
  const Plain plain(n, official(n));
  for (std::int64_t i = 0; i < n; ++i) {
    auto x = plain.x;
    x[index(i)] += 1e-9;
    EXPECT_GT(residual_of(n, x), tolerance) << i;
    for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
      x[index(i)] = bad;
      EXPECT_FALSE(residual_of(n, x) <= tolerance) << i;
    }
  }
}

TEST(Residual, SeesRowsThatDidNotChangePlaces) {
  constexpr std::int64_t n = 50;
  for (std::int64_t i = 0; i + 1 < n; ++i) {  // in b alone
    const Plain plain(n, [i](std::int64_t row, std::int64_t column) {
      if (column == n && (row == i || row == i + 1)) row = 2 * i + 1 - row;
      return element(n, row, column);
    });
    EXPECT_GT(residual_of(n, plain.x), tolerance) << i;
  }
}

// ------------------------------------------------------------------------------------------------------ the parameters

TEST(Work, AgreesWithCountingByHand) {
  EXPECT_DOUBLE_EQ(work({.n = 6}).counted, 144 + 54);
  EXPECT_EQ(demanded(work({.n = 6}), "memory.bytes"), 2 * 8 * 6 * 7);
  EXPECT_EQ(demanded(work({.n = 6}), "link.bytes"), 0);
}

TEST(Work, OfSeveralHostsIsWhatComesToTheBusiest) {
  const Hosts hosts{.fullest = 2, .block = 2, .count = 2, .of_rank = {0, 0, 1, 1}};
  const auto received = [&](std::int64_t p, std::int64_t q, const std::string& order) {
    return demanded(work({.n = 8, .nb = 2, .p = p, .q = q, .order = order}, hosts), "link.bytes");
  };
  // 24 numbers below diagonal blocks. A host is a row of the grid: of two columns half of U's 12 numbers, a quarter
  // displaced, and half of 16 for the pivots.
  EXPECT_EQ(received(2, 2, "row"), 8 * 2 * (6 + 3 + 8));
  // Or a column: of two rows' panels half of 12 numbers, and of 8 x 3 for the diagonal blocks and the pivots.
  EXPECT_EQ(received(2, 2, "column"), 8 * 2 * (6 + 12));
  EXPECT_EQ(received(1, 4, "column"), 8 * (12 + 12));
  EXPECT_EQ(work({.n = 8, .nb = 2, .p = 2, .q = 2}, hosts).demand.back().busiest, "host");
  // The host with a quarter of the columns gets three quarters of the panels.
  const Params unequal{.n = 8, .nb = 2, .p = 1, .q = 2, .deal = "1:3"};
  EXPECT_EQ(demanded(work(unequal, {.fullest = 1, .block = 1, .count = 2, .of_rank = {0, 1}}), "link.bytes"),
            8 * 0.75 * (24 + 24));
}

TEST(Parameters, MustFitTheRanks) {
  EXPECT_NO_THROW(problem({.p = 2, .q = 3}, 6));
  EXPECT_THROW(problem({.p = 2, .q = 3}, 5), UsageError);
  EXPECT_THROW(problem({.p = 1, .q = 1}, 2), UsageError);
}

TEST(Parameters, NameTheGridsThatFit) {
  try {
    problem({.p = 2, .q = 4}, 6);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.remedy(), "Nearest: 8 ranks or p=2 q=3");
  }
}

// Why, and what would be taken instead.
std::string refusal(const Params& params, int ranks) {
  try {
    problem(params, ranks);
  } catch (const UsageError& error) {
    return std::string(error.what()) + ". " + error.remedy();
  }
  return {};
}

TEST(Parameters, MustDealAShareToEachColumn) {
  EXPECT_EQ(refusal({.p = 2, .q = 3, .deal = "1:2"}, 6),
            "deal: 1:2 gives 2 shares to 3 columns of the grid. Nearest: deal=rates or p=3 q=2");
  EXPECT_EQ(refusal({.p = 1, .q = 3, .deal = "1:2"}, 3),
            "deal: 1:2 gives 2 shares to 3 columns of the grid. Nearest: deal=rates");
  EXPECT_EQ(refusal({.p = 1, .q = 2, .deal = "7"}, 2),
            "deal: 7 gives 1 share to 2 columns of the grid. Nearest: deal=rates");
  EXPECT_EQ(refusal({.p = 2, .q = 1, .deal = "rates"}, 2),
            "deal: only columns of a grid can have unequal shares, and this one has one column. "
            "Nearest: p=1 q=2 or deal=equal");
  EXPECT_EQ(refusal({.p = 1, .q = 1, .deal = "rates"}, 1),
            "deal: one column of the grid has nobody to share the matrix with. Leave out deal");
  for (const char* deal : {"", "1:", "1:0", "1:-2", "1:nan", "fast"}) {
    const std::string why = refusal({.p = 1, .q = 2, .deal = deal}, 2);
    EXPECT_NE(why.find("no share for each column of the grid, as 1:3 would be"), std::string::npos) << why;
    EXPECT_NE(why.find("Nearest: deal=rates"), std::string::npos) << why;
  }
}

TEST(Parameters, DealToColumnsByTheirSlowestRanks) {
  const Params params{.p = 2, .q = 2, .deal = "rates"};  // ranks 0 and 2 have the first column
  EXPECT_EQ(column_rates(params, {1.0, 5.0, 3.0, 4.0}), (std::vector<double>{2.0, 8.0}));
  EXPECT_EQ(column_shares(params), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(column_shares({.p = 1, .q = 2, .deal = "1:3"}), (std::vector<double>{0.25, 0.75}));
}

TEST(Parameters, HaveDefaultsThatAreAllowed) {
  Params params;
  Parameters parameters;
  declare(parameters, params);
  for (const auto& [name, text] : {std::pair{"broadcast", params.broadcast},
                                   {"swap", params.swap},
                                   {"order", params.order},
                                   {"split", std::to_string(params.split)}}) {
    EXPECT_NO_THROW(parameters.set(name, text)) << name;
  }
  for (const char* split : {"-0.1", "1", "nan"}) EXPECT_THROW(parameters.set("split", split), UsageError) << split;
}

}  // namespace
}  // namespace banzuke::hpl
