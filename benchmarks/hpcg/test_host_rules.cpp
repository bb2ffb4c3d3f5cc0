// Sizes and process grids that HPCG's rules refuse. On devices there are further limits (test_gpu.cpp).
#include <gtest/gtest.h>

#include <string>

#include "core/parameters.hpp"
#include "grid.hpp"
#include "hpcg.hpp"

namespace banzuke::hpcg {
namespace {

std::string refusal(Params params, int ranks) {
  try {
    problem(params, ranks);
  } catch (const UsageError& error) {
    return error.what() + std::string(". ") + error.remedy();
  }
  return "";
}

bool refused(const Params& params, int ranks, const std::string& words) {
  return refusal(params, ranks).find(words) != std::string::npos;
}

TEST(Rules, RefuseSizesAndNameTheNearest) {
  EXPECT_EQ(refusal({.nx = 16, .ny = 24, .nz = 128}, 1), "");
  EXPECT_TRUE(refused({.nx = 100, .ny = 104, .nz = 104}, 1, "no local grid of 100 x 104 x 104"));
  EXPECT_TRUE(refused({.nx = 100, .ny = 104, .nz = 104}, 1, ". Nearest: nx=96 ny=104 nz=104 or nx=104 ny=104 nz=104"));
  EXPECT_TRUE(refused({.nx = 8, .ny = 16, .nz = 16}, 1, "Nearest: nx=16 ny=16 nz=16"));
  EXPECT_TRUE(refused({.nx = 16, .ny = 16, .nz = 136}, 1, "Nearest: nx=24 ny=24 nz=136"));
  EXPECT_TRUE(refused({.nx = 20, .ny = 16, .nz = 1024}, 1, "Nearest: nx=128 ny=128 nz=1024"));
  EXPECT_TRUE(refused({.nx = 2000, .ny = 2000, .nz = 2000}, 1, "Nearest: nx=1256 ny=1256 nz=1256"));
}

TEST(Rules, RefuseProcessGridsAndNameTheNearest) {
  EXPECT_EQ(refusal({.px = 3, .py = 0, .pz = 2}, 6), "");
  EXPECT_EQ(refusal({.px = 2, .py = 2, .pz = 2}, 8), "");
  EXPECT_EQ(refusal({.px = 0, .py = 0, .pz = 8}, 8), "");
  EXPECT_EQ(refusal({.px = 8, .py = 1, .pz = 1}, 8), "");
  EXPECT_TRUE(refused({.px = 4, .py = 0, .pz = 0}, 6, "4 x 0 x 0 processes (0: chosen) has 6 ranks. Nearest: px=0"));
  EXPECT_TRUE(refused({.px = 2, .py = 2, .pz = 1}, 8, "has 8 ranks. Nearest: 4 ranks or px=0 py=0 pz=0"));
  EXPECT_TRUE(refused({.px = 10'000'000, .py = 10'000'000, .pz = 10'000'000}, 8, "has 8 ranks. Nearest: px=0"));
  EXPECT_TRUE(refused({}, 11, "11 x 1 x 1 processes"));
  EXPECT_TRUE(refused({}, 11, ". Nearest: 10 ranks"));
  EXPECT_TRUE(refused({.px = 1, .py = 1, .pz = 16}, 16, "1 x 1 x 16 processes"));
  EXPECT_TRUE(refused({.px = 1, .py = 1, .pz = 16}, 16, "longest. Nearest: px=0 py=0 pz=0"));
}

TEST(Rules, OfProcessorsRefuseMessagesFromDeviceMemory) {
  EXPECT_TRUE(refused({.messages = "device"}, 2, "the processors send from their own memory"));
}

TEST(Rules, NamedSizesAreAllowed) {
  for (const std::int64_t n : {1, 15, 17, 100, 999}) {
    for (const std::int64_t m : {1, 20, 500}) {
      Params params{.nx = n, .ny = m, .nz = 16};
      Parameters parameters;
      declare(parameters, params);
      try {
        problem(params, 1);
        ADD_FAILURE() << n << " " << m;
      } catch (const UsageError& error) {
        ASSERT_FALSE(error.nearest().empty());
        for (const auto& choice : error.nearest()) {
          for (const auto& [name, value] : choice) parameters.set(name, value.dump());
          EXPECT_EQ(refusal(params, 1), "") << error.remedy();
        }
      }
    }
  }
}

TEST(Rules, CompleteTheProcessGrid) {
  Params params{.nx = 16, .ny = 24, .nz = 32};
  const Problem twelve = problem(params, 12);
  EXPECT_EQ((Triple{params.px, params.py, params.pz}), (Triple{2, 3, 2}));
  EXPECT_EQ(twelve.facts[3].second.dump(), std::to_string(12 * 16 * 24 * 32));
}

}  // namespace
}  // namespace banzuke::hpcg
