#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/binding.hpp"
#include "core/random.hpp"
#include "dgemm.hpp"

namespace banzuke::dgemm {
namespace {

// The loop in the header's comment.
std::vector<double> reference(const Params& p, int calls) {
  std::vector<double> c(static_cast<std::size_t>(p.m * p.n));
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = uniform(matrix_c, i);
  for (int call = 0; call < calls; ++call) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        double sum = 0.0;
        for (std::int64_t l = 0; l < p.k; ++l) {
          sum += uniform(matrix_a, static_cast<std::uint64_t>(i + l * p.m)) *
                 uniform(matrix_b, static_cast<std::uint64_t>(l + j * p.k));
        }
        double& value = c[static_cast<std::size_t>(i + j * p.m)];
        value = p.alpha * sum + p.beta * value;
      }
    }
  }
  return c;
}

const std::vector<Params>& shapes() {
  static const std::vector<Params> all{
      {.m = 1, .n = 1, .k = 1},
      {.m = 1, .n = 17, .k = 3},
      {.m = 50, .n = 1, .k = 9},
      {.m = 33, .n = 65, .k = 31, .alpha = 0.5, .beta = -0.5},
      {.m = 64, .n = 64, .k = 64, .alpha = 2.0, .beta = 0.0},
      {.m = 130, .n = 70, .k = 1},
  };
  return all;
}

TEST(Residual, AcceptsTheReference) {
  for (const auto& p : shapes())
    EXPECT_LE(residual(p, 3, reference(p, 3)), tolerance) << p.m << 'x' << p.n << 'x' << p.k;
}

TEST(Residual, AcceptsManyCallsAtTheSmallestSizes) {
  for (const std::int64_t n : {1, 2, 8, 16}) {
    const Params p{.m = n, .n = n, .k = n};
    EXPECT_LE(residual(p, 2000, reference(p, 2000)), tolerance) << n;
  }
}

TEST(Residual, IsZeroWhereNothingIsComputed) {
  const Params p{.m = 5, .n = 4, .k = 3, .alpha = 0.0, .beta = 0.0};
  EXPECT_EQ(residual(p, 1, reference(p, 1)), 0.0);
}

TEST(Residual, SeesOneWrongElement) {
  const Params p{.m = 130, .n = 70, .k = 40};
  auto c = reference(p, 2);
  c[777] += 1e-9;
  EXPECT_GT(residual(p, 2, c), tolerance);
  c[777] = std::nan("");
  EXPECT_FALSE(residual(p, 2, c) <= tolerance);
}

TEST(Residual, SeesElementsWhoseSumOverflows) {
  const Params p{.m = 3, .n = 70, .k = 4};
  auto c = reference(p, 1);
  for (std::int64_t j = 0; j < p.n; ++j) c[static_cast<std::size_t>(j * p.m)] = 1e307;
  EXPECT_FALSE(residual(p, 1, c) <= tolerance);
}

TEST(Residual, SeesAMissingCall) {
  const Params p{.m = 20, .n = 20, .k = 20};
  EXPECT_GT(residual(p, 3, reference(p, 2)), tolerance);
}

TEST(Library, AgreesWithTheReference) {
  if (std::getenv("BANZUKE_BLAS") == nullptr) GTEST_SKIP() << "BANZUKE_BLAS names no library";
  const std::vector<int> allowed = allowed_cpus();
  for (const auto& p : shapes()) {
    Dgemm dgemm(p, {{allowed.front()}, {allowed.back()}});
    dgemm.run();
    dgemm.run();
    const auto expected = reference(p, 2);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(dgemm.result()[i], expected[i], 1e-13 * static_cast<double>(p.k + 1)) << i;
    }
    EXPECT_LE(residual(p, 2, dgemm.result()), tolerance);
  }
}

TEST(Repetitions, GoOnWhileCallsAreShort) {
  const Params params{.repetitions = 5};
  EXPECT_TRUE(wants_more(params, 4, 100.0));
  EXPECT_FALSE(wants_more(params, 5, 100.0));
  EXPECT_TRUE(wants_more(params, 999, 0.01));
  EXPECT_FALSE(wants_more(params, 1000, 0.01));
}

TEST(Work, AgreesWithCountingByHand) {
  EXPECT_EQ(work({.m = 2, .n = 3, .k = 4}).counted, 48);
  EXPECT_EQ(demanded(work({.m = 2, .n = 3, .k = 4}), "memory.bytes"), 8 * (8 + 12 + 2 * 6));
  EXPECT_EQ(footprint({.m = 2, .n = 3, .k = 4}), 8 * (8 + 12 + 6));
}

}  // namespace
}  // namespace banzuke::dgemm
