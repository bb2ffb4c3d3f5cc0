// Compares the device's problem and solver with the reference on the processor, on boxes that do not fill chunks and
// blocks evenly.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "core/testing.hpp"
#include "gpu_views.hpp"
#include "phases.hpp"
#include "reference.hpp"
#include "solver.hpp"
#include "testing.hpp"

namespace banzuke::hpcg {
namespace {

constexpr double rounding = 1e-12;

class OnDevice : public testing::TestWithParam<Triple> {
 protected:
  Grid grid() const {
    const auto& [nx, ny, nz] = GetParam();
    return Grid({.nx = nx, .ny = ny, .nz = nz}, 0, 1);
  }
};

TEST_P(OnDevice, TheProblemIsTheReferences) {
  const Plain plain(only_rank(), grid());
  EXPECT_EQ(plain.right_side(), right_side(make_matrix(grid())));
}

TEST_P(OnDevice, TheReferenceIsThatOfTheProcessors) {
  Plain plain(only_rank(), grid());
  plain.call(1);
  Reference reference(only_rank(), grid());
  std::vector<double> x;
  // Few iterations, so that the residual is not yet dominated by rounding.
  const Convergence wanted = reference.solve(plain.right_side(), x, 8, 0.0);
  std::vector<std::int64_t> told;
  const Convergence found = plain.solve(8, [&](std::int64_t iteration) { told.push_back(iteration); });
  EXPECT_EQ(told.size(), 8U);
  EXPECT_NEAR(found.first, wanted.first, rounding * wanted.first);
  EXPECT_NEAR(found.last, wanted.last, 1e-6 * wanted.last);
  EXPECT_NEAR(plain.error(), largest_error(x), 1e-6 * largest_error(x));
}

TEST_P(OnDevice, TheProductIsTheReferences) {
  Solver solver(only_rank(), Plain(only_rank(), grid()), "colours");
  Reference reference(only_rank(), grid());
  auto x = random_values(grid().points(), 1);
  std::vector<double> wanted(x.size());
  reference.product(x, wanted);
  EXPECT_LT(difference(solver.product(x), wanted), rounding);
}

// The V-cycle by its definition, without the sums that gpu_level.hpp keeps: sweeps over the rows by colour, and the
// residual of all rows.
class Defined {
 public:
  explicit Defined(const Grid& grid) : reference_(only_rank(), grid) {}

  std::vector<double> precondition(int level, const std::vector<double>& r) const {
    const Crs& a = reference_.matrix(level).a;
    std::vector<double> z(r.size());
    smooth(a, r, z);
    if (level + 1 == levels) return z;
    const auto& fine = reference_.fine(level + 1);
    std::vector<double> product(r.size());
    multiply(a, z.data(), product.data());
    std::vector<double> right;
    right.reserve(fine.size());
    for (const auto row : fine) right.push_back(r[index(row)] - product[index(row)]);
    const auto answer = precondition(level + 1, right);
    for (std::size_t row = 0; row < fine.size(); ++row) z[index(fine[row])] += answer[row];
    smooth(a, r, z);
    return z;
  }

 private:
  static void smooth(const Crs& a, const std::vector<double>& r, std::vector<double>& x) {
    auto colour = colours(a);  // by the parities of the coordinates, all even last
    for (auto& one : colour) one = stage_of(colour_count - 1 - one);
    const auto relax = [&](std::int32_t which) {
      for (std::int64_t row = 0; row < a.rows; ++row) {
        if (colour[index(row)] != which) continue;
        double sum = r[index(row)];
        for (std::size_t k = 0; k < a.columns_of(row).size(); ++k) {
          const auto column = a.columns_of(row)[k];
          if (column != row) sum -= a.values_of(row)[k] * x[index(column)];
        }
        x[index(row)] = sum / 26.0;
      }
    };
    const std::int32_t last = *std::ranges::max_element(colour);
    for (std::int32_t which = 0; which <= last; ++which) relax(which);
    for (std::int32_t which = last; which >= 0; --which) relax(which);
  }

  Reference reference_;
};

TEST_P(OnDevice, TheCycleIsItsDefinition) {
  Solver solver(only_rank(), Plain(only_rank(), grid()), "colours");
  const auto r = random_values(grid().points(), 2);
  const auto wanted = Defined(grid()).precondition(0, r);
  EXPECT_LT(difference(solver.precondition(r), wanted), rounding);
  EXPECT_LT(difference(solver.precondition(r), wanted), rounding);  // the first call has no effect on the second
}

TEST_P(OnDevice, ItReachesTheReferencesResidual) {
  Plain plain(only_rank(), grid());
  const Convergence wanted = plain.solve(12, {});
  Solver solver(only_rank(), plain, "colours");
  const Convergence found = solver.solve(50, wanted.reduction() * (1.0 + 1e-6));
  EXPECT_LE(found.iterations, 14);
  EXPECT_NEAR(found.first, wanted.first, rounding * wanted.first);
  EXPECT_LT(largest_error(solver.solution()), 2.0 * plain.error());
  // A set for which the host does not wait in each iteration gives the same result, and so does every further set.
  const Convergence set = solver.solve(found.iterations, 0.0);
  EXPECT_EQ(set.last, found.last);
  EXPECT_EQ(set.first, found.first);
  EXPECT_EQ(solver.solve(found.iterations, 0.0).last, found.last);
  double seconds = 0.0;
  for (const double one : solver.profile().seconds()) {
    EXPECT_GE(one, 0.0);
    seconds += one;
  }
  EXPECT_GT(seconds, 0.0);
}

TEST_P(OnDevice, TheDiagonalCanBeReplaced) {
  const Plain plain(only_rank(), grid());
  Solver solver(only_rank(), plain, "colours");
  auto large = plain.right_side();
  for (auto& one : large) one *= 1e9;
  solver.replace(std::vector<double>(large.size(), 26e9), large);
  EXPECT_LE(solver.solve(50, 1e-12, false).iterations, 5);
  EXPECT_LE(solver.solve(50, 1e-12).iterations, 2);
  solver.replace(std::vector<double>(large.size(), 26.0), plain.right_side());
  EXPECT_GT(solver.solve(50, 1e-12, false).iterations, 5);
}

INSTANTIATE_TEST_SUITE_P(
    Boxes, OnDevice,  // The last box has enough rows of each colour to keep the emulated device busy.
    testing::Values(Triple{16, 16, 16}, Triple{16, 24, 40}, Triple{72, 16, 16}, Triple{40, 32, 32}),
    [](const auto& box) {
      return std::to_string(box.param[0]) + "x" + std::to_string(box.param[1]) + "x" + std::to_string(box.param[2]);
    });

TEST(OnDevices, HaveOneOrderAndTheirOwnMemory) {
  Params params;
  EXPECT_EQ(params.ordering, "colours");
  const Problem one = problem(params, 1);
  EXPECT_GT(one.device_footprint, 16.0 * 16 * 16 * (2 * 27 * 10 * 8.0 / 7.0));
}

TEST(OnDevices, RefusePlanesWhoseColumnsDoNotFit) {
  Params params{.nx = 504, .ny = 504, .nz = 4032};
  EXPECT_NO_THROW(problem(params, 1));
  params.nx = params.ny = 512;
  try {
    problem(params, 1);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_NE(error.remedy().find("nx=504 ny=504"), std::string::npos) << error.remedy();
  }
}

TEST(OnDevices, SayWhatTheyHold) {
  const Grid grid({.nx = 32, .ny = 32, .nz = 32}, 0, 1);
  const Solver solver(only_rank(), Plain(only_rank(), grid), "colours");
  EXPECT_EQ(solver.stages(), 8);
  EXPECT_GT(solver.memory_bytes(), solver.matrix_bytes() + 6.0 * 8 * 32 * 32 * 32);
  // Little more than ten bytes for each off-diagonal entry, padding, and the vectors and lists of a level.
  const double entries = 10.0 * grid.whole().nonzeros();
  EXPECT_GT(solver.matrix_bytes(), entries);
  EXPECT_LT(solver.matrix_bytes(), 1.6 * entries);
}

}  // namespace
}  // namespace banzuke::hpcg
