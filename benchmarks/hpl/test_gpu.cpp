// What the matrix in a device's memory has beside the tests of all backends.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "core/testing.hpp"
#include "gpu_store.hpp"
#include "reference.hpp"
#include "store.hpp"
#include "test_library.hpp"
#include "testing.hpp"

namespace banzuke::hpl {
namespace {

class Device : public Library {};

std::vector<double> some(std::int64_t count) {
  std::vector<double> x(index(count));
  for (std::int64_t i = 0; i < count; ++i) x[index(i)] = static_cast<double>(i % 7 - 3);
  return x;
}

TEST_F(Device, MakesTheOfficialProblemAgainForTheCheck) {
  const Grid grid(alone(), 1, 1, true);
  for (const std::int64_t n : {1, 2, 17, 300}) {
    for (const std::int64_t nb : {1, 16, 64}) {
      const auto store = make_store({.n = n, .nb = nb}, grid, places());
      const auto x = some(n);
      const auto expected = row_sums(store->distribution(), x);
      const auto sums = store->row_sums(x);
      ASSERT_EQ(sums.size(), expected.size());
      for (std::size_t i = 0; i < sums.size(); ++i)
        ASSERT_NEAR(sums[i], expected[i], 1e-11) << n << ' ' << nb << ' ' << i;
    }
  }
}

TEST_F(Device, GeneratesTheOfficialProblem) {
  const Grid grid(alone(), 1, 1, true);
  for (const std::int64_t n : {1, 2, 17, 150}) {
    for (const std::int64_t nb : {1, 16, 64}) {
      const auto store = make_store({.n = n, .nb = nb}, grid, places());
      store->generate();
      for (std::int64_t first = 0; first < n; first += nb) {
        const std::int64_t width = std::min(nb, n - first);
        const auto block = store->block(first, first, width);
        for (std::int64_t i = 0; i < width; ++i) {
          for (std::int64_t j = 0; j < width; ++j) {
            ASSERT_EQ(block.start[i * block.ld + j], element(n, first + i, first + j));
          }
        }
      }
      // Whole rows, b included: their products with the unit vector of the last column.
      std::vector<double> x(index(n), 0.0);
      x.back() = 1.0;
      std::vector<double> sides(1);
      for (std::int64_t row = 0; row < n; ++row) {
        store->subtract_solved(row, std::max<std::int64_t>(0, n - nb), x, sides);
        ASSERT_EQ(sides[0], element(n, row, n) - element(n, row, n - 1)) << n << ' ' << nb << ' ' << row;
      }
    }
  }
}

TEST_F(Device, FactorisesAsThePlainLoopsDoWithoutLookAhead) {
  constexpr std::int64_t n = 130;
  const Plain plain(n, official(n));
  for (const std::int64_t nb : {1, 24, 64}) {
    Lu lu({.n = n, .nb = nb, .lookahead = 0}, alone(), places());
    lu.generate();
    lu.factorise();
    EXPECT_LE(difference(lu.solve(), plain.x), 1e-9) << nb;
    EXPECT_LE(lu.residual(), tolerance) << nb;
    EXPECT_EQ(lu.pivot_digest(), digest(plain.pivots)) << nb;
  }
}

TEST_F(Device, FactorisesPanelsInParts) {
  for (const std::int64_t n : {1, 40, 130}) {
    const std::vector<Element> matrices{official(n), wilkinson(std::min<std::int64_t>(n, 50)), permutation(n)};
    for (const Element& of : matrices) {
      if (&of == &matrices[1] && n > 50) continue;
      const Plain plain(n, of);
      for (const auto& [nb, inner] : std::vector<std::pair<int, int>>{{24, 8}, {64, 24}, {200, 16}, {32, 1}}) {
        for (const int lookahead : {0, 1}) {
          Lu lu({.n = n, .nb = nb, .nbmin = 3, .inner = inner, .lookahead = lookahead}, alone(), places());
          lu.fill(of);
          lu.factorise();
          ASSERT_LE(difference(lu.solve(), plain.x), 1e-9) << n << ' ' << nb << ' ' << inner;
          ASSERT_EQ(lu.pivot_digest(), digest(plain.pivots)) << n << ' ' << nb << ' ' << inner;
        }
      }
    }
  }
}

// ------------------------------------------------------------------------------- a matrix beyond the device's memory

struct Solution {
  std::vector<double> x;
  std::uint64_t pivots;
  double residual;
};

Solution solution(const Params& params, const std::vector<std::vector<int>>& places) {
  Lu lu(params, alone(), places);
  lu.generate();
  lu.factorise();
  auto x = lu.solve();
  return {.x = std::move(x), .pivots = lu.pivot_digest(), .residual = lu.residual()};
}

TEST_F(Device, StreamsWhatItDoesNotHold) {
  struct Case {
    std::int64_t n, nb, held, inner;
  };
  // Slabs of one block and of several, of which the last is narrow; blocks that do not fill the matrix; as few and as
  // many columns on the device as can be.
  for (const Case& of : std::vector<Case>{{60, 8, 17, 0},
                                          {61, 8, 17, 4},
                                          {130, 8, 70, 0},
                                          {130, 16, 100, 8},
                                          {97, 5, 50, 2},
                                          {96, 24, 49, 0},
                                          {100, 1, 30, 0},
                                          {129, 16, 129, 0}}) {
    for (const int lookahead : {0, 1}) {
      Params params{.n = of.n, .nb = of.nb, .nbmin = 3, .inner = of.inner, .lookahead = lookahead};
      const Solution whole = solution(params, places());
      params.held = of.held;
      const Streaming how = streaming_on(params, 0);
      ASSERT_GE(how.slabs(), of.held < of.n ? 3 : 1) << of.n << ' ' << of.held;
      const Solution streamed = solution(params, places());
      ASSERT_EQ(streamed.pivots, whole.pivots) << of.n << ' ' << of.nb << ' ' << of.held;
      ASSERT_LE(difference(streamed.x, whole.x), 1e-11) << of.n << ' ' << of.nb << ' ' << of.held;
      ASSERT_LE(streamed.residual, tolerance);
    }
  }
}

TEST_F(Device, StreamsMatricesThatAreHardOnIt) {
  constexpr std::int64_t n = 50;
  for (const Element& of : {wilkinson(n), permutation(n), exact(n, -1)}) {
    const Plain plain(n, of);
    Lu lu({.n = n, .nb = 4, .held = 20}, alone(), places());
    lu.fill(of);
    lu.factorise();
    EXPECT_LE(difference(lu.solve(), plain.x), 1e-9);
    EXPECT_EQ(lu.pivot_digest(), digest(plain.pivots));
  }
}

TEST(OnDevices, HaveEqualShares) {
  EXPECT_NO_THROW(problem({.p = 1, .q = 2}, 2));
  for (const char* deal : {"rates", "1:3"}) {
    EXPECT_THROW(problem({.p = 1, .q = 2, .deal = deal}, 2), UsageError) << deal;
  }
}

TEST(OnDevices, NeedTheMatrixInTheirMemoryAndTwoPanelsOnTheHost) {
  const Problem needed = problem({.n = 10000, .nb = 128}, 1);
  const double matrix = 8.0 * 10000 * 10000;
  EXPECT_GE(needed.device_footprint, matrix);
  EXPECT_LE(needed.device_footprint, 1.1 * matrix);
  EXPECT_GE(needed.footprint, 2.0 * 8.0 * 128 * 10000);
  EXPECT_LE(needed.footprint, 1e9);
}

}  // namespace
}  // namespace banzuke::hpl
