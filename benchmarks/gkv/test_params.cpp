#include <gtest/gtest.h>

#include <string>

#include "core/testing.hpp"
#include "diff123.hpp"
#include "gkv.hpp"

namespace banzuke::gkv {
namespace {

// Returns the calls that a refusal names, as text.
std::string nearest(Params params, int ranks) {
  try {
    problem(params, ranks);
  } catch (const UsageError& refused) {
    return refused.remedy();
  }
  return "";
}

TEST(Problem, NamesTheNearestThatItTakes) {
  EXPECT_EQ(nearest({.kernel = "fft", .nx = 22, .nxw = 32}, 1), "Nearest: nxw=36 or nx=21");
  EXPECT_EQ(nearest({.kernel = "fft", .nx = 21, .nxw = 33}, 1), "Nearest: nxw=32 or nxw=36");
  EXPECT_EQ(nearest({.kernel = "fft", .variant = "opt"}, 1), "Nearest: variant=default");
  EXPECT_EQ(nearest({.kernel = "intgrl", .nv = 5}, 4), "Nearest: 2 ranks or nv=4 or nv=6");
  EXPECT_EQ(nearest({.kernel = "fft", .ny = 3}, 5), "Nearest: 4 ranks or ny=4");
  Params huge{.kernel = "diff45", .nx = 4000, .ny = 4000, .nz = 4000, .nv = 4000, .nm = 4000};
  EXPECT_THROW(problem(huge, 1), UsageError);
}

TEST(Problem, ChoosesTheFewestPointsInRealSpace) {
  Params params{.kernel = "fft", .nx = 42, .ny = 21};
  problem(params, 1);
  EXPECT_EQ(params.nxw, 64);
  EXPECT_EQ(params.nyw, 32);
}

TEST(Problem, TheFootprintIsWhatIsAllocated) {
  const Params params{.kernel = "diff123", .nx = 10, .ny = 4, .nz = 3, .nv = 5, .nm = 3};
  Params asked = params;
  EXPECT_DOUBLE_EQ(problem(asked, 1).footprint, Diff123(params, alone()).working_set());
}

TEST(Problem, RefusesRanksWithNothingToDoOrMessagesTooLongForMpi) {
  const auto ten = [](std::int64_t ny) {  // ten planes (z, m)
    return Params{.kernel = "fft", .nx = 3, .ny = ny, .nz = 1, .nv = 1, .nm = 4};
  };
  EXPECT_EQ(nearest(ten(9), 5), "");
  EXPECT_EQ(nearest(ten(10), 5), "Nearest: 4 ranks or ny=9");
  EXPECT_EQ(nearest(ten(11), 10), "Nearest: 4 ranks or ny=9");
  EXPECT_EQ(nearest(ten(20), 600), "Nearest: 5 ranks");
  Params large{.kernel = "fft", .nx = 2000, .ny = 2000, .nz = 1, .nv = 1, .nm = 2};
  EXPECT_EQ(nearest(large, 1), "");
  large.nz = 40;
  EXPECT_EQ(nearest(large, 1), "Nearest: 2 ranks");
  large.nz = 4000;
  EXPECT_EQ(nearest(large, 1), "Nearest: 14 ranks");
  EXPECT_EQ(nearest(large, 14), "");
}

}  // namespace
}  // namespace banzuke::gkv
