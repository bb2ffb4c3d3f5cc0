// What the matrix in a device's memory has beside the tests of all backends.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/gpu/choose.hpp"
#include "core/gpu/runtime.hpp"
#include "core/testing.hpp"
#include "gpu_memory.hpp"
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

// All of a panel on the device: leaves that are whole, cut off or alone; one thread block and several; ties, of which
// the first row wins; zeros below a pivot.
TEST_F(Device, FactorisesPanelsByItself) {
  for (const std::int64_t n : {1, 17, 50, 530}) {
    std::vector<Element> matrices{official(n)};
    if (n == 50) matrices.insert(matrices.end(), {wilkinson(n), permutation(n)});
    for (const Element& of : matrices) {
      const Plain plain(n, of);
      for (const int nb : {1, 15, 16, 40, 100}) {
        if (n == 530 && nb < 100) continue;
        Lu lu({.n = n, .nb = nb, .panel = "device", .lookahead = nb % 2}, alone(), places());
        lu.fill(of);
        lu.factorise();
        ASSERT_LE(difference(lu.solve(), plain.x), 1e-9) << n << ' ' << nb;
        ASSERT_EQ(lu.pivot_digest(), digest(plain.pivots)) << n << ' ' << nb;
      }
    }
  }
}

TEST_F(Device, TellsItsOwnPanelsOfMatricesWithoutSolution) {
  for (const std::int64_t column : {0, 20, 44}) {
    Lu lu({.n = 45, .nb = 24, .panel = "device"}, alone(), places());
    lu.fill(exact(45, column));
    try {
      lu.factorise();
      FAIL() << column;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("column " + std::to_string(column) + " "), std::string::npos);
    }
    Lu spoilt({.n = 45, .nb = 24, .panel = "device"}, alone(), places());
    spoilt.fill([&](std::int64_t i, std::int64_t j) { return i == 40 && j == column ? nan : element(45, i, j); });
    spoilt.factorise();
    spoilt.solve();
    EXPECT_FALSE(spoilt.residual() <= tolerance) << column;
  }
}

// Whichever way a probe prefers, it takes the pivots of the other.
TEST_F(Device, ProbesWhereItFactorisesPanels) {
  const Plain plain(130, official(130));
  for (const int inner : {0, 8}) {
    for (const int held : {0, 70}) {
      Lu lu({.n = 130, .nb = 24, .inner = inner, .held = held}, alone(), places());
      lu.generate();
      lu.factorise();
      EXPECT_LE(difference(lu.solve(), plain.x), 1e-9) << inner << ' ' << held;
      EXPECT_EQ(lu.pivot_digest(), digest(plain.pivots)) << inner << ' ' << held;
      const auto conditions = lu.conditions();
      const auto probed = std::ranges::count_if(conditions, [](const auto& one) {
        return one.first == "panel_host_probe_seconds" || one.first == "panel_device_probe_seconds";
      });
      EXPECT_EQ(probed, 2);
    }
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
          Lu lu({.n = n, .nb = nb, .nbmin = 3, .inner = inner, .panel = "host", .lookahead = lookahead}, alone(),
                places());
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

TEST(OnDevices, HoldAsManyColumnsAsTheirMemoryLets) {
  const Params params{.n = 10000, .nb = 128, .inner = 32};
  const auto host = [&](const Streaming& how) { return memory_with(params, how).footprint; };
  const auto device = [&](const Streaming& how) { return memory_with(params, how).device_footprint; };
  const double all = device({});
  const auto usable = [](double bytes) { return static_cast<std::size_t>(bytes); };
  EXPECT_EQ(streaming_on(params, usable(1.1 * all)).columns, 0);
  EXPECT_EQ(streaming_on(params, 0).columns, 0) << "unknown";
  std::int64_t before = 0;
  for (const double share : {0.95, 0.7, 0.4, 0.2}) {
    const Streaming how = streaming_on(params, usable(share * all));
    EXPECT_GT(how.columns, before) << share;
    EXPECT_LE(how.columns, params.n) << share;
    EXPECT_EQ(how.slab % params.nb, 0) << share;
    EXPECT_LE(device(how), share * all);
    EXPECT_GE(device(how), 0.9 * share * all) << share;
    EXPECT_GE(host(how) - host({}), 8.0 * static_cast<double>(params.n * how.columns)) << share;
    EXPECT_LE(host(how) - host({}), 1.2 * 8.0 * static_cast<double>(params.n * (how.columns + how.slab))) << share;
    before = how.columns;
  }
  EXPECT_GT(device(streaming_on(params, 1000)), 1000.0) << "the least is too much";
  EXPECT_EQ(streaming_on({.n = 10000, .nb = 128, .q = 2}, usable(0.5 * all)).columns, 0) << "several hold more";
}

TEST_F(Device, TakesAsMuchMemoryOfTheHostAsItSays) {
  if (gpu::platform() != "emulated") GTEST_SKIP() << "hardware: a device's driver maps memory of its own";
  const Grid grid(alone(), 1, 1, true);
  for (const Params& params : std::vector<Params>{{.n = 1500, .nb = 8, .held = 17},
                                                  {.n = 1500, .nb = 200, .held = 700},
                                                  {.n = 1500, .nb = 64, .inner = 16, .held = 1000}}) {
    const double before = mapped_bytes();
    const auto store = make_store(params, grid, places());
    const double on_device = memory(params).device_footprint;  // which is memory of this process, too
    const double said = memory(params).footprint - gpu::host_footprint + on_device;
    EXPECT_LE(mapped_bytes() - before, said + mapped_slack) << params.nb;
    EXPECT_GE(mapped_bytes() - before, 0.8 * said - mapped_slack) << params.nb;
  }
}

TEST(OnDevices, RefuseToHoldTooFewColumnsOrWithOthers) {
  const auto refusal = [](const Params& params, int ranks) -> std::string {
    try {
      problem(params, ranks);
    } catch (const UsageError& error) {
      return std::string(error.what()) + ". " + error.remedy();
    }
    return {};
  };
  EXPECT_EQ(refusal({.n = 1000, .nb = 64, .held = 129}, 1), "");
  EXPECT_EQ(refusal({.n = 1000, .nb = 64, .held = 128}, 1),
            "held: the device must hold two slabs of at least nb columns and the right-hand side, 129 columns. "
            "Nearest: held=129, or leave out held");
  EXPECT_EQ(refusal({.n = 1000, .nb = 64, .p = 2, .panel = "device"}, 2),
            "panel: a device factorises panels only if it has all their rows. Nearest: p=1, or leave out panel");
  EXPECT_EQ(refusal({.n = 1000, .nb = 64, .q = 2, .held = 500}, 2),
            "held: only a matrix on a single device may have columns in host memory; several devices hold more of it. "
            "Leave out held");
}

TEST(OnDevices, HaveMemoryForTheirShares) {
  EXPECT_GT(problem({.n = 10000, .p = 1, .q = 2, .deal = "1:3"}, 2).device_footprint,
            1.4 * problem({.n = 10000, .p = 1, .q = 2}, 2).device_footprint);
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
